import { existsSync, readFileSync } from 'node:fs';
import { type Package, readPackages, renderReadme } from '../scripts/exports/packages.ts';

let packages: Package[] = [];
beforeAll(() => {
  packages = readPackages();
}, 120_000);

/** The most public exports of all packages together. */
const MOST_EXPORTS = 150;

const NAMES = [
  'client',
  'contract',
  'contract-tests',
  'create',
  'data',
  'openapi',
  'outbox',
  'reference',
  'server',
];

const find = (name: string): { entries: Package['entries']; text: string } => {
  const { entries, readme } = packages.find((each) => each.name === name) ?? { entries: [], readme: '' };
  return { entries, text: existsSync(readme) ? readFileSync(readme, 'utf8') : '' };
};

test('all packages together export few names', () => {
  // The server re-exports the types of the contract for its handlers: each counts once.
  const all = packages.flatMap(({ entries }) => entries.flatMap(({ exports }) => exports));
  expect(new Set(all.map(({ declaration }) => declaration)).size).toBeLessThanOrEqual(MOST_EXPORTS);
});

test('every package is listed here', () => {
  expect(packages.map(({ name }) => name).toSorted()).toEqual(NAMES);
});

describe.each(NAMES)('the README of %s', (name) => {
  test('lists every public entry and each of its exports, types included, in the words of its JSDoc', () => {
    const { entries, text } = find(name);
    expect(text).toBe(renderReadme(text, entries)); // `npm run exports` updates the list
    expect(entries.flatMap(({ exports }) => exports).length).toBeGreaterThan(1);
  });

  test('lists no name twice, and each function has an example', () => {
    const exported = find(name).entries.flatMap(({ exports }) => exports);
    const names = exported.map(({ name: each }) => each);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    expect(exported.filter(({ isType, hasExample }) => !isType && !hasExample)).toEqual([]);
  });

  test('begins with the purpose of the package and a sample, and describes each export', () => {
    const { entries, text } = find(name);
    const [, purpose = '', sample = ''] =
      /^# @trellis\/[\w-]+\n\n([^\n#`][\s\S]*?)\n\n(?:[^\n#`].*\n)*\n?```ts\n([\s\S]*?)\n```\n/.exec(text) ??
      [];
    expect(purpose.length).toBeGreaterThan(40);
    expect(sample).toContain(`from '@trellis/${name}`);
    const silent = entries
      .flatMap(({ exports }) => exports)
      .filter(({ words }) => words.trim().length < 8 || words.startsWith('TODO'));
    expect(silent).toEqual([]);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { type Package, readPackages, renderReadme } from '../scripts/exports/packages.ts';

let packages: Package[] = [];
beforeAll(() => {
  packages = readPackages();
}, 120_000);

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

test('every package is listed here', () => {
  expect(packages.map(({ name }) => name).toSorted()).toEqual(NAMES);
});

describe.each(NAMES)('the README of %s', (name) => {
  test('lists every entry of the package and everything that it exports, types included, in the words of its JSDoc', () => {
    const { entries, text } = find(name);
    expect(text).toBe(renderReadme(text, entries)); // `npm run exports` mends the list
    expect(entries.flatMap(({ exports }) => exports).length).toBeGreaterThan(1);
  });

  test('begins with what the package is for and a sample, and tells each export in words', () => {
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

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../scripts/support/service.ts';
import { parseExposition, type Sample } from '../../support/exposition.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { post } from '../support/service.ts';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const FILE = fileURLToPath(new URL('../../../docs/grafana-dashboard.json', import.meta.url));
const { panels }: { panels: Panel[] } = JSON.parse(readFileSync(FILE, 'utf8'));
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The metric names in an expression. Names of functions are followed by a parenthesis. */
const namesIn = (expression: string): string[] =>
  expression.match(/\b(?:http|store|process|nodejs)_\w+/g) ?? [];

/** Each figure with the labels that are asked of it: in its braces, and in the `by` of its expression. */
const labelsIn = (expression: string): [name: string, label: string][] => {
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
  return [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selectors = '']) =>
    [...[...selectors.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label), ...grouped].map(
      (label): [string, string] => [name, label],
    ),
  );
};

const makeFolder = temporaryFolders();
let samples: readonly Sample[];
beforeAll(async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'alice:s3cret' });
  await post(service, '{"id":1,"name":"Fern"}', { authorization: 'Bearer s3cret' });
  const reply = await fetch(`${service.url}/metrics`);
  samples = parseExposition(await reply.text()).samples;
  await service.end();
});

test('every figure on the dashboard is one that the service tells', () => {
  const told = new Set(samples.map(({ name }) => name));
  const asked = expressions.flatMap(namesIn);
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter((name) => !told.has(name))).toEqual([]);
});

test('every label that the dashboard asks for is on that figure, or put there by Prometheus', () => {
  const labels = new Map(samples.map(({ name, labels }) => [name, Object.keys(labels)]));
  const strays = expressions
    .flatMap(labelsIn)
    .filter(([name, label]) => label !== 'instance' && !labels.get(name)?.includes(label));
  expect(strays).toEqual([]);
  expect(expressions.flatMap(labelsIn).length).toBeGreaterThan(30);
});

test('every figure that is our own is on the dashboard', () => {
  const family = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const own = new Set(samples.map(({ name }) => family(name)).filter((name) => /^(http|store)_/.test(name)));
  const shown = new Set(expressions.flatMap(namesIn).map(family));
  expect([...own].filter((name) => !shown.has(name))).toEqual([]);
  expect(own.size).toBe(5);
});

test('no panel lies over another', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});

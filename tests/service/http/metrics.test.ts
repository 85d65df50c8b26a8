import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGroupCommit } from '../../../packages/data/src/engines/group-commit.ts';
import {
  createMetrics,
  createStoreMetrics,
  type Metrics,
} from '../../../packages/server/src/http/observe/metrics.ts';
import { startProcess } from '../../../scripts/support/service.ts';
import { figures, parseExposition, type Sample, scrape } from '../../support/exposition.ts';
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
let replies: readonly Response[];
let samples: readonly Sample[];
beforeAll(async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'alice:s3cret' });
  const create = (id: number) =>
    post(service, `{"id":${id},"name":"Fern"}`, { authorization: 'Bearer s3cret' });
  replies = await Promise.all(Array.from({ length: 100 }, (_, id) => create(id)));
  samples = await scrape(service);
  await service.end();
});

test('the store tells its batches: every create is in one, and each took its time', () => {
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
  const [batches = 0] = Object.values(figures(samples, 'store_batch_size_count'));
  expect(batches).toBeGreaterThan(0);
  expect(figures(samples, 'store_batch_size_sum')).toEqual({ '': 100 });
  expect(figures(samples, 'store_commit_duration_seconds_count')).toEqual({ committed: batches });
  expect(figures(samples, 'store_commit_duration_seconds_sum').committed).toBeGreaterThan(0);
  expect(figures(samples, 'store_queue_depth')).toEqual({ '': 0 });
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

const readOwn = async ({ render }: Metrics, name: string) =>
  figures(parseExposition((await render()).text).samples, name);

test('a batch is measured by its size', async () => {
  const store = createStoreMetrics();
  const metrics = createMetrics(store);
  const { submit } = createGroupCommit((items: readonly number[]) => items, { maxBatch: 4 }, store);
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map(submit));
  expect(await readOwn(metrics, 'store_batch_size_bucket')).toMatchObject({
    1: 0,
    2: 0,
    4: 2,
    8: 2,
    '+Inf': 2,
  });
  expect(await readOwn(metrics, 'store_batch_size_sum')).toEqual({ '': 7 });
});

test('pending writes are measured, and a failed batch is measured separately', async () => {
  const store = createStoreMetrics();
  const metrics = createMetrics(store);
  const read = (name: string) => readOwn(metrics, name);
  let fail = () => {};
  const held = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new Error('disk full'));
  });
  const { submit } = createGroupCommit(() => held, { maxBatch: 2 }, store);
  const outcomes = Promise.allSettled([1, 2, 3, 4, 5].map(submit));
  await new Promise((resolve) => setImmediate(resolve)); // two are committing
  expect(await read('store_queue_depth')).toEqual({ '': 3 });

  fail();
  await outcomes;
  expect(await read('store_queue_depth')).toEqual({ '': 0 });
  expect(await read('store_commit_duration_seconds_count')).toEqual({ failed: 3 });
  expect(await read('store_batch_size_count')).toEqual({ '': 0 });
});

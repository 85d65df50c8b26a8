import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startProcess } from '../../../scripts/support/service.ts';
import { createMetrics, type Metrics } from '../../../src/http/observe/metrics.ts';
import { createGroupCommit } from '../../../src/engines/group-commit.ts';
import { parseExposition, type Sample } from '../../support/exposition.ts';
import { exchange, head, openSocket } from '../../support/raw-http.ts';
import { post, type Service, startService } from '../../support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';

const makeFolder = temporaryFolders();

const scrape = async ({ url }: { url: string }) =>
  parseExposition(await (await fetch(`${url}/metrics`)).text()).samples;

/** The figures of one name, as text of their labels and a value. */
const figures = (samples: readonly Sample[], name: string): Record<string, number> =>
  Object.fromEntries(
    samples
      .filter((sample) => sample.name === name)
      .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
  );

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

test('GET /metrics is in the text format of Prometheus, and needs no token', async () => {
  const reply = await fetch(`${service.url}/metrics`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const { types } = parseExposition(await reply.text());
  expect(Object.fromEntries(types)).toMatchObject({
    http_requests_total: 'counter',
    http_request_duration_seconds: 'histogram',
    store_batch_size: 'histogram',
    store_commit_duration_seconds: 'histogram',
    store_queue_depth: 'gauge',
    process_cpu_seconds_total: 'counter',
    process_resident_memory_bytes: 'gauge',
    nodejs_eventloop_lag_p99_seconds: 'gauge',
  });
});

test('requests are counted by operation and status, exactly', async () => {
  for (const id of [1, 2, 3]) await post(service, `{"id":${id},"name":"Fern"}`);
  await post(service, '{"id":1,"name":"Moss"}');
  await post(service, '{}');
  await post(service, '{}', { authorization: 'Bearer wrong' });
  for (const path of ['/healthz', '/healthz', '/nothing', '/nothing/else', '/plants'])
    await fetch(service.url + path);
  await fetch(`${service.url}/healthz`, { method: 'PUT' });
  await exchange(service.port, 'garbage\r\n\r\n');
  await scrape(service);

  expect(figures(await scrape(service), 'http_requests_total')).toEqual({
    'createPlant 200': 3,
    'createPlant 409': 1,
    'createPlant 400': 1,
    'createPlant 401': 1,
    '/healthz 200': 2,
    '/healthz 405': 1,
    'none 404': 2,
    'none 405': 1,
    'none 400': 1,
    '/metrics 200': 1, // the one before this
  });
});

test('paths, methods and statuses that anybody may make up do not make figures', async () => {
  const countFigures = async () =>
    (await scrape(service)).filter(({ name }) => name.startsWith('http_')).length;
  await scrape(service); // it is one of them itself
  const before = await countFigures();
  await fetch(`${service.url}/first`);
  const known = await countFigures();
  for (let index = 0; index < 20; index += 1) {
    await fetch(`${service.url}/${index}`, { method: index % 2 ? 'GET' : 'DELETE' });
    await fetch(`${service.url}/healthz/${index}`);
  }
  expect(known).toBeGreaterThan(before);
  expect(await countFigures()).toBe(known);
});

test('the latency histogram adds up', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, index) => post(service, `{"id":${index},"name":"Fern"}`)));
  const samples = (await scrape(service)).filter(({ labels }) => labels.operation === 'createPlant');
  const buckets = samples.filter(({ name }) => name === 'http_request_duration_seconds_bucket');
  const counts = buckets.map(({ value }) => value);
  const bounds = buckets.map(({ labels }) =>
    labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
  );
  const [sum = 0] = Object.values(figures(samples, 'http_request_duration_seconds_sum'));

  expect(counts).toEqual(counts.toSorted((one, other) => one - other));
  expect(counts.at(-1)).toBe(40);
  expect(figures(samples, 'http_request_duration_seconds_count')).toEqual({ createPlant: 40 });
  expect(bounds).toEqual(bounds.toSorted((one, other) => one - other));
  expect(bounds.slice(0, 1)).toEqual([0.0005]);
  // What lies between two bounds took at least the one and at most the other.
  const inside = counts.map((count, index) => count - (counts[index - 1] ?? 0));
  expect(sum).toBeGreaterThan(
    inside.reduce((total, count, index) => total + count * (bounds[index - 1] ?? 0), 0),
  );
  expect(sum).toBeLessThan(40 * Math.min(...bounds.filter((_, index) => counts[index] === 40)));
});

test('the store tells its batches: every create is in one, and each took its time', async () => {
  const process = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'alice:s3cret' });
  const create = (id: number) =>
    post(process, `{"id":${id},"name":"Fern"}`, { authorization: 'Bearer s3cret' });
  const replies = await Promise.all(Array.from({ length: 100 }, (_, id) => create(id)));
  const samples = await scrape(process);
  await process.end();

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
  const [batches = 0] = Object.values(figures(samples, 'store_batch_size_count'));
  expect(batches).toBeGreaterThan(0);
  expect(figures(samples, 'store_batch_size_sum')).toEqual({ '': 100 });
  expect(figures(samples, 'store_commit_duration_seconds_count')).toEqual({ committed: batches });
  expect(figures(samples, 'store_commit_duration_seconds_sum').committed).toBeGreaterThan(0);
  expect(figures(samples, 'store_queue_depth')).toEqual({ '': 0 });
});

const readOwn = async ({ render }: Metrics, name: string) =>
  figures(parseExposition((await render()).text).samples, name);

test('a batch is told by its size', async () => {
  const metrics = createMetrics();
  const { submit } = createGroupCommit((items: readonly number[]) => items, { maxBatch: 4 }, metrics.store);
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

test('what waits for the store is told, and a batch that failed is told apart', async () => {
  const metrics = createMetrics();
  const read = (name: string) => readOwn(metrics, name);
  let fail = () => {};
  const held = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new Error('disk full'));
  });
  const { submit } = createGroupCommit(() => held, { maxBatch: 2 }, metrics.store);
  const outcomes = Promise.allSettled([1, 2, 3, 4, 5].map(submit));
  await new Promise((resolve) => setImmediate(resolve)); // two are committing
  expect(await read('store_queue_depth')).toEqual({ '': 3 });

  fail();
  await outcomes;
  expect(await read('store_queue_depth')).toEqual({ '': 0 });
  expect(await read('store_commit_duration_seconds_count')).toEqual({ failed: 3 });
  expect(await read('store_batch_size_count')).toEqual({ '': 0 });
});

test('those who ask while somebody has not read the figures share them, and get new ones afterwards', async () => {
  const accepting = once(service.server, 'connection');
  const client = await openSocket(service.port);
  const [accepted]: Socket[] = await accepting;
  client.on('error', () => {}).pause();
  while (accepted?.writableLength === 0) {
    client.write(head('GET /docs/swagger-ui-bundle.js') + head('GET /metrics'));
    await fetch(`${service.url}/healthz`);
  }
  const text = async () => (await fetch(`${service.url}/metrics`)).text();
  const [one, other] = [await text(), await text()];
  expect(other).toBe(one);
  client.destroy();
  if (!accepted?.closed) await new Promise((resolve) => accepted?.once('close', resolve));
  expect(await text()).not.toBe(one);
  expect(await text()).not.toBe(await text());
});

test.each(['POST', 'PUT', 'DELETE'])('%s /metrics answers 405', async (method) => {
  const reply = await fetch(`${service.url}/metrics`, { method });
  expect(reply.status).toBe(405);
  expect(reply.headers.get('allow')).toBe('GET, HEAD');
});

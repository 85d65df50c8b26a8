import { once } from 'node:events';
import type { Socket } from 'node:net';
import { figures, parseExposition, scrape } from '../../../../../tests/support/exposition.ts';
import { exchange, head, openSocket } from '../../../../../tests/support/raw-http.ts';
import { post, type Service, startService } from '../../support/service.ts';

/** Makes the contract larger than the buffers of a socket without a reader. */
const description = 'A long story. '.repeat(100_000);
let service: Service;
beforeEach(async () => {
  service = await startService({ description });
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
  const totals = [...types].filter(([name]) => name.endsWith('_total'));
  expect(totals.filter(([, type]) => type !== 'counter')).toEqual([]);
});

test('requests are counted by operation and status, exactly', async () => {
  for (const id of [1, 2, 3]) await post(service, `{"id":${id},"name":"Lamp"}`);
  await post(service, '{"id":1,"name":"Vase"}');
  await post(service, '{}');
  await post(service, '{}', { authorization: 'Bearer wrong' });
  for (const path of ['/healthz', '/healthz', '/nothing', '/nothing/else', '/things'])
    await fetch(service.url + path);
  await fetch(`${service.url}/healthz`, { method: 'PUT' });
  await exchange(service.port, 'garbage\r\n\r\n');
  await scrape(service);

  expect(figures(await scrape(service), 'http_requests_total')).toEqual({
    'createThing 200': 3,
    'createThing 409': 1,
    'createThing 400': 1,
    'createThing 401': 1,
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
  await scrape(service); // a scrape is counted as well
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
  await Promise.all(Array.from({ length: 40 }, (_, index) => post(service, `{"id":${index},"name":"Lamp"}`)));
  const samples = (await scrape(service)).filter(({ labels }) => labels.operation === 'createThing');
  const buckets = samples.filter(({ name }) => name === 'http_request_duration_seconds_bucket');
  const counts = buckets.map(({ value }) => value);
  const bounds = buckets.map(({ labels }) =>
    labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
  );
  const [sum = 0] = Object.values(figures(samples, 'http_request_duration_seconds_sum'));

  expect(counts).toEqual(counts.toSorted((one, other) => one - other));
  expect(counts.at(-1)).toBe(40);
  expect(figures(samples, 'http_request_duration_seconds_count')).toEqual({ createThing: 40 });
  expect(bounds).toEqual(bounds.toSorted((one, other) => one - other));
  expect(bounds.slice(0, 1)).toEqual([0.0005]);
  // What lies between two bounds took at least the one and at most the other.
  const inside = counts.map((count, index) => count - (counts[index - 1] ?? 0));
  expect(sum).toBeGreaterThan(
    inside.reduce((total, count, index) => total + count * (bounds[index - 1] ?? 0), 0),
  );
  expect(sum).toBeLessThan(40 * Math.min(...bounds.filter((_, index) => counts[index] === 40)));
});

test('clients share the metrics while one client has not read them, and get new ones afterwards', async () => {
  const accepting = once(service.server, 'connection');
  const client = await openSocket(service.port);
  const [accepted]: Socket[] = await accepting;
  client.on('error', () => {}).pause();
  while (accepted?.writableLength === 0) {
    client.write(head('GET /openapi.json') + head('GET /metrics'));
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
  expect(reply.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { retries } from '@trellis/client';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { importClient } from './things-service.ts';

const makeFolder = temporaryFolders();

/** How the service answers next: a status and its header fields, a cut connection, or nothing at all. */
type Answer = readonly [status: number, headers?: Record<string, string>] | 'cut' | 'silence';
let answers: Answer[] = [];
let asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  request.resume();
  const answer = answers.shift() ?? [200];
  if (answer === 'silence') return;
  if (answer === 'cut') return void request.socket.destroy();
  const [status, headers] = answer;
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end('{"error":1,"message":"x"}');
});

let createClient: Awaited<ReturnType<typeof importClient>>;
let client: ReturnType<typeof createClient>;
const retry = retries({ limit: 2, delay: 1, longest: 1000 });
beforeAll(async () => {
  createClient = await importClient(await makeFolder());
  await once(server.listen(0, '127.0.0.1'), 'listening');
}, 60_000);
beforeEach(() => {
  [answers, asked] = [[], []];
  const { port }: AddressInfo = Object(server.address());
  client = createClient({ url: `http://127.0.0.1:${port}`, retry });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const list = (options: object = {}) => client.listThings(options);
const send = (options: object = {}) => client.sendBody({ body: {}, ...options });

describe('requests that are safe to repeat are retried', () => {
  test.each<[string, Answer]>([
    ['a lost connection', 'cut'],
    ['a 429', [429]],
    ['a 502', [502, { 'Content-Type': 'text/html' }]],
    ['a 503', [503, { 'Retry-After': '0' }]],
    ['a 504', [504]],
  ])('after %s', async (_, answer) => {
    answers = [answer, answer];
    expect(await list()).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(3);
  });

  test('no more often than was said; then the last reply, or the last error, is the answer', async () => {
    answers = [[503], [503], [503]];
    expect(await list()).toMatchObject({ status: 503, body: { error: 1 } });
    answers = ['cut', 'cut', 'cut'];
    await expect(list()).rejects.toThrow('fetch failed');
    answers = [[503]];
    expect(
      await createClient({ url: 'http://127.0.0.1:1' })
        .visit()
        .catch(() => 'away'),
    ).toBe('away');
    expect(asked).toHaveLength(6);
  });

  test('and nothing else: no POST without a key, no stream, no other status', async () => {
    answers = [[503], [503], [500]];
    expect(await send()).toMatchObject({ status: 503 });
    const body = Readable.from([Buffer.from('x')]);
    const streamed = { body, mediaType: 'application/octet-stream', headers: { 'Idempotency-Key': 'a' } };
    expect(await send(streamed)).toMatchObject({ status: 503 });
    expect(await list()).toMatchObject({ status: 500 });
    expect(asked).toHaveLength(3);
  });

  test('a POST with a key, the same each time, or one that the caller knows to be safe', async () => {
    answers = [[503], 'cut'];
    expect(await send({ headers: { 'Idempotency-Key': 'a' } })).toMatchObject({ status: 200 });
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['a', 'a', 'a']);
    answers = ['cut'];
    expect(await send({ retry: retries({ delay: 1, isSafe: true }) })).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(5);
  });

  test.each([
    ['seconds', () => '5'],
    ['a date', () => new Date(Date.now() + 5000).toUTCString()],
  ])('not before Retry-After says, in %s', async (_, after) => {
    answers = [[503, { 'Retry-After': after() }]];
    const patient = retries({ delay: 1, longest: 6000 });
    await expect(list({ retry: patient, timeout: 500 })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(asked).toHaveLength(1);
  });

  test('at once after a date that has passed', async () => {
    answers = [[503, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }]];
    expect(await list({ retry: retries({ delay: 1e6 }) })).toMatchObject({ status: 200 });
  });

  test.each(['3', 'Fri, 31 Dec 2049 23:59:59 GMT'])('not at all if %s is too long to wait', async (after) => {
    answers = [[503, { 'Retry-After': after }]];
    expect(await list()).toMatchObject({ status: 503 });
  });
});

describe('a call ends in time', () => {
  test('with a TimeoutError, retries and waits included', async () => {
    answers = ['silence', 'silence'];
    await expect(list({ timeout: 300 })).rejects.toMatchObject({ name: 'TimeoutError' });
    const { port }: AddressInfo = Object(server.address());
    const hasty = createClient({ url: `http://127.0.0.1:${port}`, timeout: 300 });
    await expect(hasty.listThings()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await list({ timeout: 10_000 })).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(3);
  });

  test('or when its signal is aborted, while it waits too', async () => {
    const controller = new AbortController();
    answers = [[503, { 'Retry-After': '1' }]];
    const call = list({ signal: controller.signal, timeout: 10_000 });
    await once(server, 'request');
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
  });
});

test('interceptors see each request and each reply, and may change them', async () => {
  const seen: unknown[] = [];
  const { port }: AddressInfo = Object(server.address());
  const watched = createClient({
    url: `http://127.0.0.1:${port}`,
    retry,
    onRequest: async (request) => {
      request.headers.set('x-request', `${String(request.operation.id)} ${request.retries}`);
      request.url += '?extra=1';
    },
    onReply: (response, { operation }) => {
      seen.push([operation.path, response.status]);
      return response.status === 418 ? Response.json({ instead: true }) : undefined;
    },
  });
  answers = [[502], [418]];
  expect(await watched.visit()).toMatchObject({ status: 200, body: { instead: true } });
  expect(asked.map(({ url, headers }) => [url, headers['x-request']])).toEqual([
    ['/open?extra=1', 'visit 0'],
    ['/open?extra=1', 'visit 1'],
  ]);
  expect(seen).toEqual([
    ['/open', 502],
    ['/open', 418],
  ]);
});

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { IncomingRequest } from '@trellis/contract';
import express, { type RequestHandler } from 'express';
import { exchange, head, openSocket, parseReply, readToEnd } from '../../../../tests/support/raw-http.ts';
import { newDocument } from '../support/documents.ts';
import { expressServers } from '../support/express.ts';
import { createDocumentApp, documentServers, type ServeOptions } from '../support/serve.ts';

const serveExpress = expressServers();

const GET = {
  operationId: 'getThing',
  parameters: [
    { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
    { in: 'header', name: 'X-Limit', schema: { type: 'integer' } },
  ],
  responses: { 200: { description: '', content: { 'application/json': { schema: {} } } } },
};

type Seen = IncomingRequest & { readonly header: Readonly<Record<string, unknown>> };

const optionsFor = async (look: (request: Seen) => unknown): Promise<ServeOptions> => ({
  document: await newDocument({ paths: { '/things/{id}': { get: GET } } }),
  handlers: { getThing: async (request: Seen) => ({ status: 200, body: (await look(request)) ?? null }) },
});

const serveDocument = documentServers();

/** Serves the result of `look`, which gets the request as the handler sees it. */
const serve = async (look: (request: Seen) => unknown, options: Partial<ServeOptions> = {}) =>
  serveDocument({ ...(await optionsFor(look)), ...options });

const ask = async (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
  (await fetch(url, { headers })).json();

test('the method and the URL are those that were sent, in a mounted app as well', async () => {
  const options = await optionsFor(({ method, url }) => [method, url]);
  const service = await serveDocument(options);
  const { app } = await createDocumentApp(options);
  const mounted = await serveExpress(express().use('/garden', app));
  const target = '/things/a%2Fb?x=%20&x=2&';
  expect(await ask(service.url + target)).toEqual(['GET', target]);
  expect(await ask(`${mounted}/garden${target}`)).toEqual(['GET', `/garden${target}`]);
});

test('all headers are there, by any case; those that the contract declares are decoded in their own place', async () => {
  const { port } = await serve(({ headers, header }) => [
    headers.get('x-LIMIT'),
    headers.get('X-Other'),
    headers.get('Last-Event-ID'),
    headers.get('__proto__'),
    [...headers.keys()].length,
    header,
  ]);
  const fields = ['X-Limit: 7', 'x-other: a', 'X-OTHER: b', '__proto__: c', 'Set-Cookie: d', 'Set-Cookie: e'];
  const reply = await exchange(
    port,
    ['GET /things/1 HTTP/1.1', 'Host: a', 'Connection: close', ...fields, '', ''].join('\r\n'),
  );
  expect(JSON.parse(reply.split('\r\n\r\n')[1] ?? '')).toEqual([
    '7',
    'a, b',
    null,
    null,
    6,
    { 'X-Limit': 7 },
  ]);
});

test('the address is the address of the client, even behind trusted proxies', async () => {
  const look = ({ address, isProxied }: Seen) => [address, isProxied];
  const headers = { 'X-Forwarded-For': '192.0.2.1' };
  const { url } = await serve(look, { trustProxy: ['loopback'] });
  expect(await ask(`${url}/things/1`, headers)).toEqual(['192.0.2.1', true]);
  const { url: other } = await serve(look);
  expect(await ask(`${other}/things/1`, headers)).toEqual(['127.0.0.1', false]);
});

test('the id equals the id in the reply, and log lines of the handler have it', async () => {
  const lines: unknown[] = [];
  const keep = (level: string) => (details: object, message: string) =>
    void lines.push([level, details, message]);
  const failure = new Error('too dry');
  const { url } = await serve(
    ({ requestId, log }) => {
      log.debug('looking');
      log.info({ id: 7, requestId: 'forged' }, 'found');
      log.warn({ id: 7 });
      log.error(failure, 'withered');
      return requestId;
    },
    { log: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') } },
  );
  const reply = await fetch(`${url}/things/1`, { headers: { 'X-Request-Id': 'abc-1' } });
  const requestId = 'abc-1';
  expect([reply.headers.get('x-request-id'), await reply.json()]).toEqual([requestId, requestId]);
  expect(lines).toEqual([
    ['debug', { requestId }, 'looking'],
    ['info', { id: 7, requestId }, 'found'],
    ['warn', { id: 7, requestId }, ''],
    ['error', { err: failure, requestId }, 'withered'],
    ['info', expect.objectContaining({ requestId, status: 200 }), 'request'],
  ]);
});

test('the request of Express has what middleware has added to it', async () => {
  const addUser: RequestHandler = (request, _response, next) => {
    Object.assign(request, { user: 'Ada' });
    next();
  };
  const { url } = await serve(({ raw }) => Reflect.get(raw, 'user'), { use: [addUser] });
  expect(await ask(`${url}/things/1`)).toBe('Ada');
});

describe('the signal', () => {
  test('is aborted at once by a reset, and a second after the client has closed its side', async () => {
    let begun = 0;
    const aborted: string[] = [];
    const lines: object[] = [];
    const { port, logged } = await serve(
      ({ url, signal }) => {
        begun += 1;
        return sleep(20_000, undefined, { signal }).finally(() => aborted.push(url));
      },
      { log: { info: (line) => void lines.push(line) } },
    );
    const [closing, reset] = await Promise.all([openSocket(port), openSocket(port)]);
    closing.write(head('GET /things/closed'));
    reset.write(head('GET /things/reset').repeat(2)); // the second one is never served
    while (begun < 2) await setImmediate();
    const left = performance.now();
    closing.destroy();
    reset.resetAndDestroy();
    while (lines.length < 3) await setImmediate();
    expect(aborted).toEqual(['/things/reset', '/things/closed']);
    expect(performance.now() - left).toBeGreaterThan(990);
    expect(lines.map((line) => Reflect.get(line, 'status'))).toEqual([undefined, undefined, undefined]);
    expect(logged).toEqual([]);
  });

  test('does not cut off a client that has closed its side: it gets the reply of any handler', async () => {
    const { port } = await serve(async ({ url, signal }) => {
      await (url === '/things/quick' ? sleep(50, undefined, { signal }) : sleep(1200));
      return [url, signal.aborted];
    });
    const askHalfOpen = async (path: string) => {
      const socket = await openSocket(port, { allowHalfOpen: true });
      const answer = readToEnd(socket);
      socket.end(head(`GET ${path}`));
      return parseReply(await answer).body;
    };
    expect(await Promise.all(['/things/quick', '/things/slow'].map(askHalfOpen))).toEqual([
      ['/things/quick', false],
      ['/things/slow', true],
    ]);
  });
});

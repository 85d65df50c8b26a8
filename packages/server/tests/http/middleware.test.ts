import { once } from 'node:events';
import { loadDocument } from '@trellis/openapi';
import { createStaticTokens } from '@trellis/server';
import express, { type RequestHandler, type Router } from 'express';
import { head, openSocket } from '../../../../tests/support/raw-http.ts';
import { documentServers, type ServeOptions } from '../support/serve.ts';
import { AUTHORIZED, post, read, THINGS_FILE, TOKEN } from '../support/service.ts';
import { createThingHandlers, createThings } from '../support/things.ts';

const serveDocument = documentServers();

/** Serves things.yaml with middleware and routes, and keeps the lines of the log. */
const serve = async (options: Pick<ServeOptions, 'use' | 'routes'>) => {
  const lines: object[] = [];
  const service = await serveDocument({
    document: await loadDocument(THINGS_FILE),
    handlers: createThingHandlers(createThings()),
    authenticators: { bearerAuth: createStaticTokens([{ name: 'tests', token: TOKEN }]) },
    log: { info: (line) => void lines.push(line), error: (line) => void lines.push(line) },
    ...options,
  });
  return { ...service, lines };
};

const THING = '{"id":1,"name":"Lamp"}';

describe('middleware', () => {
  test('adds header fields to every reply, of the contract and beside it', async () => {
    const protect: RequestHandler = (_request, response, next) => {
      response.setHeader('X-Frame-Options', 'DENY');
      next();
    };
    const { url } = await serve({ use: [protect] });
    const replies = await Promise.all([
      post({ url }, THING),
      fetch(`${url}/healthz`),
      fetch(`${url}/nothing`),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(replies.map(({ headers }) => headers.get('x-frame-options'))).toEqual(['DENY', 'DENY', 'DENY']);
  });

  test('answers a request by itself, which is logged and counted', async () => {
    const { url, lines } = await serve({
      use: [(_request, response) => void response.status(429).json({ slow: 'down' })],
    });
    expect(await read(post({ url }, THING))).toEqual({ status: 429, body: { slow: 'down' } });
    expect(lines).toMatchObject([{ method: 'POST', path: '/things', status: 429 }]);
  });

  test('that fails gives an error of the service', async () => {
    const fail: RequestHandler = () => {
      throw new Error('the session store is gone');
    };
    const { url, lines } = await serve({ use: [fail] });
    expect(await read(post({ url }, THING))).toEqual({
      status: 500,
      body: { error: 50001, message: 'internal error' },
    });
    expect(lines).toMatchObject([{ status: 500, err: { message: 'the session store is gone' } }]);
  });

  test('several run in their order, and the contract after them', async () => {
    const order: string[] = [];
    const note =
      (name: string): RequestHandler =>
      (_request, _response, next) => {
        order.push(name);
        next();
      };
    const { url } = await serve({ use: [note('first'), note('second')] });
    expect((await post({ url }, THING)).status).toBe(200);
    expect(order).toEqual(['first', 'second']);
  });
});

/** Routes as owners bring them: a router, an app, or an app in a router, which Express does not link to ours. */
const KINDS: Readonly<Record<string, (routes: Router) => RequestHandler>> = {
  'a router': (routes) => routes,
  'an app': (routes) => express().use(routes),
  'an app in a router': (routes) => express.Router().use(express().use(routes)),
};

describe.each(Object.entries(KINDS))('routes of %s', (_name, wrap) => {
  const router = () =>
    wrap(
      express
        .Router()
        .get('/legacy/:name', ({ params }, response) => void response.send(`hello ${params.name}`))
        .post('/legacy', express.json(), ({ body }, response) => void response.json({ got: body }))
        .post('/things', (_request, response) => void response.send('never reached')),
    );

  test('are served beside the contract, and named in the log', async () => {
    const { url, lines } = await serve({ routes: router() });
    expect(await (await fetch(`${url}/legacy/you`)).text()).toBe('hello you');
    expect(lines).toMatchObject([{ path: '/legacy/you', operation: '/legacy/:name', status: 200 }]);
  });

  test('read bodies with their own parsers', async () => {
    const { url } = await serve({ routes: router() });
    const body = JSON.stringify({ text: 'x'.repeat(50_000) });
    const reply = await fetch(`${url}/legacy`, { method: 'POST', headers: AUTHORIZED, body });
    expect(await reply.json()).toEqual({ got: JSON.parse(body) });
  });

  test('answer any number of requests on a connection, which is idle afterwards', async () => {
    const { port, stop } = await serve({ routes: router() });
    const socket = await openSocket(port);
    for (let nth = 0; nth < 20; nth += 1) {
      socket.write(head('GET /legacy/you'));
      expect(String(await once(socket, 'data'))).toMatch(/hello you$/);
    }
    const closed = once(socket, 'close');
    await stop(60_000);
    await closed;
  });

  test('do not replace operations of the contract, and leave 404 to the service', async () => {
    const { url } = await serve({ routes: router() });
    expect((await post({ url }, THING)).headers.get('content-type')).toBe('application/json');
    expect(await read(fetch(`${url}/nothing`))).toMatchObject({ status: 404, body: { error: 40401 } });
  });
});

describe('an error of a route that blames the client keeps its status', () => {
  const json = express.json({ limit: 100 });
  const router = () =>
    express
      .Router()
      .get('/any/:name', (_request, response) => void response.end())
      .get('/file', (_request, response) => response.sendFile('/no/such/folder/of-this-machine'))
      .get('/upstream', () =>
        Promise.reject(Object.assign(new Error('upstream: no such user'), { status: 404 })),
      )
      .post('/json', json, ({ body }, response) => void response.json(body));
  const postJson = (body: string | Uint8Array, headers: object = {}) => ({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

  test.each<[what: string, path: string, request: RequestInit, status: number, message: RegExp]>([
    ['JSON that is malformed', '/json', postJson('{"a":'), 400, /JSON/],
    ['a body that is too large', '/json', postJson(`"${'x'.repeat(200)}"`), 413, /too large/],
    [
      'an unknown charset',
      '/json',
      postJson('{}', { 'content-type': 'application/json; charset=x-no' }),
      415,
      /charset "X-NO"/,
    ],
    ['an unknown encoding', '/json', postJson('{}', { 'content-encoding': 'no' }), 415, /encoding "no"/],
    ['a body that is no gzip', '/json', postJson('{}', { 'content-encoding': 'gzip' }), 400, /./],
    ['a path that cannot be decoded', '/any/%', {}, 400, /Failed to decode param '%'/],
    ['a file that is missing', '/file', {}, 404, /^Not Found$/],
  ])('%s', async (_what, path, request, status, message) => {
    const { url, lines } = await serve({ routes: router() });
    expect(await read(fetch(url + path, request))).toEqual({
      status,
      body: { error: status * 100, message: expect.stringMatching(message) },
    });
    expect(lines).toMatchObject([{ status, error: status * 100, reason: expect.any(String) }]);
    expect(lines[0]).not.toHaveProperty('err');
  });

  test('the status that another service has answered with is an internal error', async () => {
    const { url, lines } = await serve({ routes: router() });
    expect(await read(fetch(`${url}/upstream`))).toMatchObject({ status: 500, body: { error: 50001 } });
    expect(lines).toMatchObject([{ status: 500, err: { message: 'upstream: no such user' } }]);
  });

  test('the header fields of the error are sent', async () => {
    const refuse: RequestHandler = (_request, _response, next) =>
      next(
        Object.assign(new Error('slow down'), { status: 429, expose: true, headers: { 'Retry-After': 7 } }),
      );
    const { url } = await serve({ use: [refuse] });
    const reply = await post({ url }, THING);
    expect(reply.headers.get('retry-after')).toBe('7');
    expect(await read(reply)).toEqual({ status: 429, body: { error: 42900, message: 'slow down' } });
  });
});

test('without either, nothing is added to a request', async () => {
  const { url, lines } = await serve({});
  expect((await post({ url }, THING)).status).toBe(200);
  expect(lines).toMatchObject([{ status: 200 }]);
});

import { overloaded } from '@trellis/contract/internal/handlers';
import { createStaticTokens } from '@trellis/server';
import express from 'express';
import { exchange, head } from '../../../../tests/support/raw-http.ts';
import { newDocument } from '../support/documents.ts';
import { expressServers } from '../support/express.ts';
import { serveDocument } from '../support/serve.ts';
import { AUTHORIZED, createTestApp, startService } from '../support/service.ts';

const serve = expressServers();

const PAGE = 'https://app.example';
const OTHER = 'https://other.example';

const responses = {
  200: {
    description: 'ok',
    headers: { 'X-Total': { schema: { type: 'integer' } }, location: {}, 'no token': {} },
  },
};

/** Operations of every kind, under a base path. */
const documentOf = (securitySchemes: object = {}) =>
  newDocument({
    servers: [{ url: '/v1' }],
    security: [{ bearer: [] }, { key: [] }],
    paths: {
      '/things': {
        parameters: [{ $ref: '#/components/parameters/Page' }],
        get: { operationId: 'list', responses },
        post: { operationId: 'create', requestBody: { content: { 'application/json': {} } }, responses },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: {
          operationId: 'read',
          security: [],
          parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
          responses,
        },
        options: { operationId: 'own', security: [], responses },
      },
    },
    components: {
      parameters: { Page: { name: 'X-Page', in: 'header', schema: { type: 'string' } } },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        ...securitySchemes,
      },
    },
  });

const startWith = async (origins: readonly string[], securitySchemes = {}) => {
  const answer = async () => ({
    status: 200,
    headers: { 'X-Total': 1, Vary: 'Accept', 'Access-Control-Allow-Origin': 'https://handler.example' },
    body: undefined,
  });
  const { authenticate, type } = createStaticTokens([{ name: 'tests', token: 'abc' }]);
  return serveDocument({
    document: await documentOf(securitySchemes),
    handlers: { list: answer, create: answer, read: answer, own: answer },
    authenticators: { bearer: { type, authenticate }, key: { type: 'apiKey', authenticate } },
    corsOrigins: origins,
  });
};

let service: Awaited<ReturnType<typeof startWith>>;
beforeAll(async () => {
  service = await startWith([PAGE, 'http://localhost:5173']);
});
afterAll(() => service.close());

/** The status and the headers about other origins of a reply. */
const about = (reply: Response): Record<string, unknown> => ({
  status: reply.status,
  ...Object.fromEntries(
    [...reply.headers].filter(([name]) => /^(?:access-control-|vary$|allow$)/.test(name)),
  ),
});

const ask = async (path: string, init: RequestInit = {}, { url }: { url: string } = service) =>
  about(await fetch(url + path, init));

const preflight = (
  path: string,
  method: string,
  origin = PAGE,
  at = service,
  more: Record<string, string> = {},
) =>
  ask(
    path,
    { method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': method, ...more } },
    at,
  );

const GRANTED = {
  status: 204,
  'access-control-allow-origin': PAGE,
  'access-control-max-age': '600',
  vary: 'Origin, Access-Control-Request-Headers',
};

test.each([
  ['/v1/things', 'POST', 'GET, HEAD, POST'],
  ['/v1/things', 'GET', 'GET, HEAD, POST'],
  ['/v1/things', 'HEAD', 'GET, HEAD, POST'],
  ['/v1/things/41?q=1', 'GET', 'GET, HEAD, OPTIONS'],
])(
  'a preflight to %s for %s is granted from the contract, without credentials',
  async (path, method, methods) => {
    expect(await preflight(path, method)).toEqual({ ...GRANTED, 'access-control-allow-methods': methods });
  },
);

test('a preflight is granted the headers that it asks for', async () => {
  const asked = { 'Access-Control-Request-Headers': 'authorization,x-page' };
  expect(await preflight('/v1/things', 'POST', PAGE, service, asked)).toMatchObject({
    ...GRANTED,
    'access-control-allow-headers': 'authorization,x-page',
  });
});

const PLAIN = { status: 204, allow: 'GET, HEAD, POST, OPTIONS' };

test.each([
  ['an unknown origin', '/v1/things', 'POST', OTHER, PLAIN],
  ['no real origin', '/v1/things', 'POST', 'null', PLAIN],
  ['a method that is not declared', '/v1/things', 'PUT', PAGE, PLAIN],
  ['a method in another case', '/v1/things', 'post', PAGE, PLAIN],
  ['a path that is not there', '/things', 'POST', PAGE, { status: 404 }],
])('a preflight of %s gets a plain answer', async (_name, path, method, origin, plain) => {
  expect(await preflight(path, method, origin)).toEqual(plain);
});

test('OPTIONS that is no preflight is as ever, and readable', async () => {
  expect(await ask('/v1/things', { method: 'OPTIONS', headers: { Origin: PAGE } })).toMatchObject({
    ...PLAIN,
    'access-control-allow-origin': PAGE,
  });
});

const READABLE = {
  'access-control-allow-origin': PAGE,
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, WWW-Authenticate, Location, traceresponse, X-Total',
};

test.each([
  ['a reply', '/v1/things/41', {}, { status: 200, vary: 'Accept, Origin' }],
  [
    'a 400',
    '/v1/things',
    {
      method: 'POST',
      body: '{',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer abc' },
    },
    { status: 400, vary: 'Origin' },
  ],
  ['a 401', '/v1/things', {}, { status: 401, vary: 'Origin' }],
  ['a 404', '/nothing', {}, { status: 404, vary: 'Origin' }],
  [
    'a 405',
    '/v1/things',
    { method: 'PUT' },
    { status: 405, vary: 'Origin', allow: 'GET, HEAD, POST, OPTIONS' },
  ],
  ['the contract', '/openapi.json', {}, { status: 200, vary: 'Accept-Encoding, Origin' }],
  ['a file', '/docs/reference.css', {}, { status: 200, vary: 'Accept-Encoding, Origin' }],
  ['a probe', '/healthz', {}, { status: 200, vary: 'Origin' }],
])('a page of an allowed origin can read %s', async (_name, path, init: RequestInit, expected) => {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), Origin: PAGE };
  expect(await ask(path, { ...init, headers })).toEqual({ ...READABLE, ...expected });
});

test.each([[{ Origin: OTHER }], [{ Origin: 'null' }], [{}]])(
  'a request with %j is served as usual, with Vary: Origin for caches',
  async (headers: Record<string, string>) => {
    expect(await ask('/v1/things/41', { headers })).toEqual({ status: 200, vary: 'Accept, Origin' });
  },
);

test('a refusal before the app sees the request is readable too', async () => {
  const answer = await exchange(
    service.port,
    `GET /healthz HTTP/1.1\r\nOrigin: ${PAGE}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /); // no Host
  expect(answer).toContain(`\r\nAccess-Control-Allow-Origin: ${PAGE}\r\n`);
});

test('a 503 is readable, with the time to wait', async () => {
  const things = {
    create: () => Promise.reject(overloaded()),
    check: async () => undefined,
  };
  const busy = await startService({ things, corsOrigins: [PAGE] });
  const headers = { ...AUTHORIZED, Origin: PAGE };
  const reply = await fetch(`${busy.url}/things`, {
    method: 'POST',
    headers,
    body: '{"id":1,"name":"Lamp"}',
  });
  await busy.close();
  expect(about(reply)).toMatchObject({ status: 503, 'access-control-allow-origin': PAGE });
  expect(reply.headers.get('retry-after')).toBe('1');
});

test('* allows every origin, and varies by none', async () => {
  const open = await startWith(['*']);
  const granted = await preflight('/v1/things/41', 'GET', OTHER, open);
  const read = await ask('/v1/things', { headers: { Origin: OTHER } }, open);
  const plain = await ask('/v1/things', {}, open);
  await open.close();
  expect(granted).toEqual({
    status: 204,
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-max-age': '600',
    vary: 'Access-Control-Request-Headers',
  });
  expect(read).toEqual({ ...READABLE, status: 401, 'access-control-allow-origin': '*' });
  expect(plain).toEqual({ status: 401 });
});

const COOKIE = { session: { type: 'apiKey', in: 'cookie', name: 'sid' } };

test('where the contract has a key in a cookie, allowed pages may send it', async () => {
  const signedIn = await startWith([PAGE], COOKIE);
  const granted = await preflight('/v1/things', 'POST', PAGE, signedIn);
  const read = await ask('/v1/things', { headers: { Origin: PAGE } }, signedIn);
  const refused = await ask('/v1/things', { headers: { Origin: OTHER } }, signedIn);
  await signedIn.close();
  expect(granted).toMatchObject({ ...GRANTED, 'access-control-allow-credentials': 'true' });
  expect(read).toEqual({
    ...READABLE,
    status: 401,
    vary: 'Origin',
    'access-control-allow-credentials': 'true',
  });
  expect(refused).toEqual({ status: 401, vary: 'Origin' });
});

test('where the contract has a key in a cookie, * is refused', async () => {
  await expect(startWith(['*'], COOKIE)).rejects.toThrow(
    'CORS_ORIGINS: * would let every page use the cookies of security scheme session; name the origins instead',
  );
});

test('without origins a reply says nothing about them', async () => {
  const closed = await startWith([]);
  const granted = await preflight('/v1/things', 'POST', PAGE, closed);
  const read = await ask('/v1/things', { headers: { Origin: PAGE } }, closed);
  await closed.close();
  expect(granted).toEqual(PLAIN);
  expect(read).toEqual({ status: 401 });
});

test('mounted in another app, the service speaks for its own paths only', async () => {
  const { app } = await createTestApp({ corsOrigins: [PAGE] });
  const parent = express().use('/garden', app);
  parent.use((_request, response) => void response.status(418).json('mine'));
  const url = await serve(parent);
  expect(await preflight('/garden/things', 'POST', PAGE, { ...service, url })).toMatchObject(GRANTED);
  const headers = { Origin: PAGE };
  expect(await ask('/garden/things', { method: 'POST', headers }, { url })).toMatchObject({
    status: 401,
    'access-control-allow-origin': PAGE,
  });
  expect(await ask('/elsewhere', { headers }, { url })).toEqual({ status: 418 });
});

test('a preflight has an id, and a line in the log', async () => {
  const answer = await exchange(
    service.port,
    head('OPTIONS /v1/things', `Origin: ${PAGE}`, 'Access-Control-Request-Method: POST', 'Connection: close'),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\nX-Request-Id: /);
});

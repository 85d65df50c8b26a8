import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type RunOptions, run } from '../run.ts';
import { serve } from '../serve.ts';

const TOKEN = 'a-token';

const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Jars', version: '1' },
  security: [{ bearer: [] }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/jars/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
      get: {
        operationId: 'readJar',
        responses: {
          200: { description: '', content: { 'application/json': { schema: { type: 'boolean' } } } },
          '4XX': { description: '' },
        },
      },
      put: {
        operationId: 'fillJar',
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'boolean' } } } },
        responses: { 204: { description: '' }, '4XX': { description: '' } },
      },
    },
    '/lids': {
      get: { operationId: 'listLids', security: [], responses: { 200: { description: '' } } },
    },
    '/note': {
      get: {
        operationId: 'readNote',
        security: [],
        parameters: [{ name: 'If-None-Match', in: 'header', schema: { const: '*' } }],
        responses: {
          200: { description: '', content: { 'application/json': {}, 'text/plain': {} } },
          304: { description: '' },
          400: { description: '' },
        },
      },
    },
  },
};

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A service that does everything right. */
const answerRightly: Answer = ({ method = '', url = '', headers }, response, body) => {
  const end = (status: number, fields: Record<string, string> = {}, sent?: string) =>
    response.writeHead(status, fields).end(sent);
  const [path = ''] = url.split('?');
  if (path === '/lids') return method === 'GET' || method === 'HEAD' ? end(200) : end(404);
  if (path === '/note' && (method === 'GET' || method === 'HEAD')) {
    const condition = headers['if-none-match'];
    if (condition !== undefined) return condition === '*' ? end(304) : end(400);
    return end(
      200,
      { 'Content-Type': headers.accept === 'text/plain' ? 'text/plain' : 'application/json' },
      '1',
    );
  }
  const id = /^\/jars\/([^/]+)$/.exec(path)?.[1];
  if (id === undefined) return end(404);
  if (!['GET', 'HEAD', 'PUT'].includes(method)) return end(405, { Allow: 'GET, HEAD, PUT' });
  if (headers.authorization?.replace(/^bearer/i, 'Bearer') !== `Bearer ${TOKEN}`) return end(401);
  if (!/^[1-9]\d*$/.test(id)) return end(404);
  if (method !== 'PUT') return end(200, { 'Content-Type': 'application/json' }, 'true');
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return end(body === '' ? 400 : 415);
  return end(body === 'true' || body === 'false' ? 204 : 400);
};

/** Runs the contract tests against a service that answers some requests in another way. */
const check = async (
  answerSome: (...request: Parameters<Answer>) => boolean,
  phases: RunOptions['phases'] = [],
) => {
  const { url, close } = await serve(
    async (request, response) => {
      const body = await text(request);
      if (!answerSome(request, response, body)) answerRightly(request, response, body);
    },
    { maxHeaderSize: 64 * 1024 },
  );
  const options = { url, spec: CONTRACT, credentials: { token: TOKEN }, requests: 4, phases };
  return run(options).finally(close);
};

/** Answers requests that a test picks with a status. */
const say =
  (when: (request: IncomingMessage) => unknown, status: number, headers: Record<string, string> = {}) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!when(request)) return false;
    response.writeHead(status, headers).end();
    return true;
  };

const isUnknown = ({ url = '' }: IncomingMessage) => url.includes('no-such-path');
const isDelete = ({ method }: IncomingMessage) => method === 'DELETE';
const isJarHead = ({ method, url = '' }: IncomingMessage) => method === 'HEAD' && url.startsWith('/jars');
const isInChunks = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined;
const isKnown = ({ headers }: IncomingMessage) => /^bearer a-token$/i.test(headers.authorization ?? '');

test.each<[what: string, answers: Parameters<typeof check>[0]]>([
  ['answers as it should', () => false],
  ['answers 404 to methods that it does not know', say(isDelete, 404)],
  ['answers 501 to methods that it does not know', say(isDelete, 501)],
  ['asks for credentials on paths that it does not know', say(isUnknown, 401)],
  [
    'shows people a page for a method that is not declared',
    say(({ method }) => method === 'POST', 200, { 'Content-Type': 'text/html' }),
  ],
  ['does not know HEAD', say(isJarHead, 405, { Allow: 'PUT, GET' })],
  [
    'names OPTIONS in every Allow, and refuses it',
    say(({ method }) => method === 'OPTIONS', 405, { Allow: 'GET, PUT, OPTIONS' }),
  ],
  ['has a stub for HEAD', say(isJarHead, 500, { 'X-Stub': 'readJar' })],
  ['answers HEAD with 404', say(isJarHead, 404)],
  ['takes no body whose length it does not know', say(isInChunks, 411)],
  [
    'says something new about each reply',
    ({ method, url = '' }, response) => {
      if (url === '/lids' && (method === 'GET' || method === 'HEAD'))
        response.setHeader('ETag', `"${performance.now()}"`);
      return false;
    },
  ],
  ['refuses unknown query parameters', say(({ url = '' }) => url.includes('no-such-parameter'), 400)],
  ['redirects a path with another slash', say(({ url = '' }) => /\/$/.test(url), 308, { Location: '/lids' })],
  ['refuses long heads', say(({ url = '' }) => url.length > 5000, 414)],
])('a service that %s keeps its contract', async (_what, answers) => {
  const { text: told, failures } = await check(answers);
  expect(told).not.toMatch(/^(?!\||note).*: /m);
  expect(failures).toBe(0);
});

const REFUSED = 'a valid request was refused with';

test.each<[what: string, answers: Parameters<typeof check>[0], told: string]>([
  [
    'does something for a method that is not declared',
    say(({ method }) => method === 'PATCH', 204),
    '/jars/{id}: PATCH, which is not declared: expected 405 or 404, got 204',
  ],
  [
    'fails for a method that is not declared',
    say(isDelete, 500),
    '/jars/{id}: DELETE, which is not declared: status 500: the service failed',
  ],
  [
    'refuses a method without Allow',
    say(isDelete, 405),
    '/jars/{id}: DELETE, which is not declared: 405 without the header Allow',
  ],
  [
    'leaves out a method in Allow',
    say(isDelete, 405, { Allow: 'GET' }),
    '/jars/{id}: DELETE, which is not declared: the header Allow leaves out PUT',
  ],
  [
    'names a method in Allow that it refuses',
    say(isDelete, 405, { Allow: 'GET, PUT, DELETE' }),
    '/jars/{id}: DELETE, which is not declared: 405 for DELETE, which the header Allow names',
  ],
  [
    'serves TRACE',
    say(({ method }) => method === 'TRACE', 200),
    '/jars/{id}: TRACE, which is not declared: expected 405 or 404, got 200',
  ],
  [
    'fails for a body in chunks',
    say(({ headers }) => headers['transfer-encoding'], 500),
    'fillJar: a body in pieces: status 500',
  ],
  [
    'shows a page on paths that it does not know to a client that takes JSON',
    say(isUnknown, 200, { 'Content-Type': 'text/html' }),
    'a path that is not declared: expected 404, got 200',
  ],
  ['fails for OPTIONS', say(({ method }) => method === 'OPTIONS', 500), '/lids: OPTIONS: status 500'],
  ['fails for HEAD', say(isJarHead, 500), '/jars/{id}: HEAD: status 500: the service failed'],
  [
    'answers HEAD without credentials',
    say(isJarHead, 200),
    '/jars/{id}: HEAD without credentials: expected 401, got 200',
  ],
  [
    'has another status for HEAD than for GET',
    say((request) => isJarHead(request) && isKnown(request), 204, { 'Content-Type': 'application/json' }),
    '/jars/{id}: HEAD beside GET: GET got 200, HEAD got 204',
  ],
  [
    'has another media type for HEAD than for GET',
    say((request) => isJarHead(request) && isKnown(request), 200, { 'Content-Type': 'text/plain' }),
    '/jars/{id}: HEAD beside GET: GET got content-type application/json, HEAD got content-type text/plain',
  ],
  [
    'says that GET has no body when it is asked with HEAD',
    say((request) => isJarHead(request) && isKnown(request), 200, { 'Content-Length': '0' }),
    '/jars/{id}: HEAD beside GET: GET got content-length 4, HEAD got content-length 0',
  ],
  ...[400, 501].map((status): [string, Parameters<typeof check>[0], string] => [
    `refuses a body in chunks with ${status}`,
    say((request) => isInChunks(request) && isKnown(request), status),
    `fillJar: a body in pieces: ${REFUSED} ${status}`,
  ]),
  [
    'hangs up on a body in chunks',
    (request) => isInChunks(request) && Boolean(request.socket.destroy()),
    `fillJar: a body in pieces: ${REFUSED} no answer`,
  ],
  [
    'sends a body with HEAD',
    (request) =>
      Boolean(isJarHead(request) && request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue')),
    '/jars/{id}: HEAD: a body, where the answer to a HEAD has none',
  ],
  [
    'answers 200 for an unknown path',
    say(isUnknown, 200, { 'Content-Type': 'application/json' }),
    '/lids: /lids/no-such-path-41, a path that is not declared: expected 404, got 200',
  ],
  ['fails for a path that it does not know', say(isUnknown, 500), 'a path that is not declared: status 500'],
  [
    'skips authorization behind another slash',
    say(({ url = '' }) => /\d\/$/.test(url), 200),
    'without credentials: expected 401 or 404, got 200',
  ],
  [
    'fails for a path that is not well-formed',
    say(({ url = '' }) => url.includes('%zz'), 500),
    '/jars/{id}: the path as /jars/%zz: status 500',
  ],
  [
    'fails for an unknown query parameter',
    say(({ url = '' }) => url.includes('no-such-parameter=1'), 500),
    'listLids: an unknown query parameter: status 500',
  ],
  [
    'fails for a long query',
    say(({ url = '' }) => url.length > 5000, 500),
    'readJar: a query of 6,000 characters: status 500',
  ],
  [
    'takes JSON by one name only',
    say(({ method, headers }) => method === 'PUT' && headers['content-type'] !== 'application/json', 415),
    `fillJar: a valid request with Content-Type application/json; charset=utf-8: ${REFUSED} 415`,
  ],
  [
    'takes media types in small letters only',
    say(({ headers }) => headers['content-type'] === 'Application/JSON', 400),
    `fillJar: a valid request with Content-Type Application/JSON: ${REFUSED} 400`,
  ],
  [
    'takes the name of a scheme in one case only',
    say(({ headers }) => headers.authorization?.startsWith('bearer'), 401),
    `readJar: valid credentials as bearer: ${REFUSED} 401`,
  ],
  [
    'fails for a body of no bytes that has a media type',
    (request, response, body) =>
      body === '' && say(({ headers }) => headers['content-type'], 500)(request, response),
    'fillJar: body of no bytes: status 500',
  ],
  [
    'does not accept that everything is accepted',
    say(({ headers }) => headers.accept === '*/*', 406),
    `readJar: a valid request with Accept */*: ${REFUSED} 406`,
  ],
])('a service that %s is caught', async (_what, answers, told) => {
  const { text: said, failures } = await check(answers);
  expect(failures).toBeGreaterThan(0);
  expect(said).toContain(told);
});

test('a service that takes no body whose length it does not know gets a note', async () => {
  const { text: told } = await check(say(isInChunks, 411));
  expect(told).toContain('note  fillJar: refuses a body in pieces with 411');
});

test('a run that is interrupted anywhere tells nothing that is not true', async () => {
  for (let last = 2; last < 120; last += 4) {
    let requests = 0;
    const interrupt = (): boolean => {
      requests += 1;
      if (requests === last) process.emit('SIGINT');
      return false;
    };
    const { code, failures } = await check(interrupt, ['http', 'transfer']);
    expect([0, 130]).toContain(code); // 0 after the last request
    expect(failures).toBe(0);
  }
});

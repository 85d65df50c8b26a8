import { exchange, head, parseReplies } from '../../../../tests/support/raw-http.ts';
import { AUTHORIZED, post, read, type Service, startService, TOKEN } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const THING = '{"id":1,"name":"Lamp"}';
const SERVED = { status: 200, body: { name: 'Lamp' } };
const nothingAt = (path: string) => ({
  status: 404,
  body: { error: 40401, message: `there is nothing at ${path}` },
});

const postTo = (target: string) =>
  exchange(
    service.port,
    head(
      `POST ${target}`,
      `Authorization: Bearer ${TOKEN}`,
      'Content-Type: application/json',
      `Content-Length: ${THING.length}`,
      'Connection: close',
    ) + THING,
  );

test.each([
  '/things?color=green',
  '/things?',
  '/%74hings',
  '/thing%73?a=%zz',
  'http://anywhere.example/things',
  'http://anywhere.example:8080/things?color=green',
])('POST %s creates a thing', async (target) => {
  expect(parseReplies(await postTo(target))).toMatchObject([SERVED]);
});

test.each(['/things/', '/things/1/leaves', '//things', '/Things', '/thing', '/%zz', '/things%', '/%00'])(
  'POST %s answers 404, for there is nothing',
  async (target) => {
    expect(parseReplies(await postTo(target))).toMatchObject([nothingAt(target)]);
  },
);

test.each(['http://[', 'http://anywhere.example:99999/things', 'thing://things'])(
  'POST %s, in absolute form, answers 404 in the Error shape',
  async (target) => {
    expect(parseReplies(await postTo(target))).toEqual([
      { status: 404, type: 'application/json', body: { error: 40401, message: expect.any(String) } },
    ]);
  },
);

test('OPTIONS * answers 204: the service is there', async () => {
  const answer = await exchange(service.port, head('OPTIONS *', 'Connection: close'));
  expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
  expect(answer).not.toContain('Content-Length');
});

test.each([
  ['GET', '*'],
  ['POST', '*'],
  ['OPTIONS', '/nothing'],
])('%s %s answers 404 in the Error shape', async (method, target) => {
  const answer = await exchange(service.port, head(`${method} ${target}`, 'Connection: close'));
  expect(parseReplies(answer)).toEqual([{ type: 'application/json', ...nothingAt(target) }]);
});

test.each([
  ['/things', 'POST, OPTIONS'],
  ['/healthz', 'GET, HEAD, OPTIONS'],
  ['/openapi.json', 'GET, HEAD, OPTIONS'],
])('OPTIONS %s answers 204 with the methods that are allowed, without a token', async (path, allowed) => {
  const reply = await fetch(`${service.url}${path}`, { method: 'OPTIONS' });
  expect([reply.status, reply.headers.get('allow'), await reply.text()]).toEqual([204, allowed, '']);
});

test.each([
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, '/things', 'POST']),
  ...['POST', 'PUT', 'DELETE'].map((method) => [method, '/healthz', 'GET, HEAD']),
])('%s %s answers 405 with the methods that are allowed, even without a token', async (method, path, use) => {
  const reply = await fetch(service.url + path, { method });
  expect(reply.headers.get('allow')).toBe(`${use}, OPTIONS`);
  expect(await read(reply)).toEqual({
    status: 405,
    body: { error: 40501, message: `${method} is not allowed on ${path}; use ${use}` },
  });
});

test('GET /healthz tells, without a token, that the service is alive', async () => {
  expect(await read(fetch(`${service.url}/healthz`))).toEqual({ status: 200, body: { status: 'ok' } });
});

test.each(['/HEALTHZ', '/healthz/', '/Readyz', '/metrics/', '//healthz'])(
  'GET %s answers 404: only the path itself is served',
  async (path) => {
    expect(await read(fetch(`${service.url}${path}`))).toEqual(nothingAt(path));
  },
);

test.each([
  ['/healthz', 200],
  ['/things', 405],
  ['/nothing', 404],
])('HEAD %s answers %i without a body', async (path, status) => {
  const reply = await fetch(`${service.url}${path}`, { method: 'HEAD' });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(await reply.text()).toBe('');
});

test('no reply names the software that made it', async () => {
  const replies = [
    await fetch(`${service.url}/healthz`),
    await fetch(`${service.url}/nothing`),
    await fetch(`${service.url}/things`, { headers: AUTHORIZED }),
    await post(service, THING),
  ];
  expect(replies.map(({ headers }) => [headers.get('x-powered-by'), headers.get('server')])).toEqual(
    replies.map(() => [null, null]),
  );
});

import { once } from 'node:events';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { exchange, head, openSocket } from '../../support/raw-http.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { postHead } from '../support/raw-http.ts';
import { post } from '../support/service.ts';

const makeFolder = temporaryFolders();
const PLANT = '{"id":41,"name":"Fern"}';
const SECRETS = 'alice:s3cret, b4re';
const ALICE = { authorization: 'Bearer s3cret' };

const start = async (settings: Record<string, string> = {}): Promise<ServiceProcess> =>
  startProcess(await makeFolder(), { ACCESS_TOKENS: SECRETS, ...settings });

const idOf = (reply: Response) => reply.headers.get('x-request-id');

/** The lines of requests, once the service has ended. */
const linesOf = async (service: ServiceProcess) => {
  expect(await service.end()).toBe(0);
  return service.log.filter(({ requestId }) => requestId !== undefined);
};

const LINE = {
  level: 30,
  time: expect.any(Number),
  requestId: expect.any(String),
  ms: expect.any(Number),
  msg: 'request',
};

const TAKEN = { error: 40901, reason: 'another plant has id 41' };
const WRONG = { error: 40002, reason: 'body.name is required; body.id is required' };
const UNKNOWN = { error: 40102, reason: 'the token is not known' };
const NOTHING = { error: 40401, reason: 'there is nothing at /nothing' };
const OTHER = { error: 40501, reason: 'PROPFIND is not allowed on /plants; use POST' };
const BROKEN = { error: 40003, reason: 'the request is not well-formed HTTP' };

test('a request is one line: who, what, status, duration and the id of its reply', async () => {
  const service = await start();
  const asked = { method: 'POST', path: '/plants', operation: 'createPlant' };
  const created = await post(service, PLANT, ALICE);
  const taken = await post(service, '{"id":41,"name":"Moss"}', { authorization: 'Bearer b4re' });
  const wrong = await post(service, '{}', ALICE);
  const nobody = await post(service, PLANT, { authorization: 'Bearer nonsense' });
  const nothing = await fetch(`${service.url}/nothing?a=b`);
  const method = await fetch(`${service.url}/plants`, { method: 'PROPFIND' }); // no contract can declare it

  expect(await linesOf(service)).toEqual([
    { ...LINE, ...asked, requestId: idOf(created), who: 'alice', status: 200 },
    { ...LINE, ...asked, requestId: idOf(taken), who: 'token-2', status: 409, ...TAKEN },
    { ...LINE, ...asked, requestId: idOf(wrong), who: 'alice', status: 400, ...WRONG },
    { ...LINE, ...asked, requestId: idOf(nobody), status: 401, ...UNKNOWN },
    { ...LINE, method: 'GET', path: '/nothing', requestId: idOf(nothing), status: 404, ...NOTHING },
    { ...LINE, method: 'PROPFIND', path: '/plants', requestId: idOf(method), status: 405, ...OTHER },
  ]);
});

test('the duration is the duration of the request', async () => {
  const service = await start({ DATABASE_URL: 'memory:' });
  const socket = await openSocket(Number(new URL(service.url).port));
  const started = performance.now();
  const fields = ['X-Request-Id: slow', 'Content-Length: 2', 'Expect: 100-continue'];
  socket.write(postHead(...fields).replace('a-token-for-tests', 's3cret'));
  await once(socket, 'data'); // 100: the service has the header
  const known = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const waited = performance.now() - known;
  socket.end('{}');
  await once(socket.resume(), 'close');
  const passed = performance.now() - started;
  const [line] = await linesOf(service);
  expect(line).toMatchObject({ requestId: 'slow', status: 400 });
  expect(line?.ms).toBeGreaterThan(waited);
  expect(line?.ms).toBeLessThan(passed + 1);
});

test('no token, query, body or password is in the log, whatever was sent', async () => {
  const service = await start({ LOG_LEVEL: 'trace' });
  const { port } = new URL(service.url);
  await post(service, '{"id":1,"name":"b0dy"}', ALICE);
  await post(service, '{"b0dy":"b0dy","id":"b0dy"}', ALICE);
  await post(service, 'b0dy', ALICE);
  await post(service, PLANT, { authorization: 'Bearer gu3ss' });
  await fetch(`${service.url}/plants?access_token=s3cret`, { method: 'POST', headers: { cookie: 's3cret' } });
  await exchange(Number(port), head('GET http://alice:s3cret@test/x?s3cret', 'Connection: close'));
  await exchange(Number(port), 'GET /s3cret s3cret\r\nAuthorization: Bearer s3cret\r\n\r\n');
  const lines = await linesOf(service);
  expect(lines.map(({ status }) => status)).toEqual([200, 400, 400, 401, 401, 404, 400]);
  expect(JSON.stringify(service.log)).not.toMatch(/s3cret|b4re|gu3ss|b0dy|Bearer/);
});

test('a path is logged verbatim, up to a bound, and cannot forge a line', async () => {
  const service = await start();
  const port = Number(new URL(service.url).port);
  for (const target of ['/%0a{"level":60}', '/"\\', `/${'a'.repeat(9000)}`, 'http://test', '*'])
    await exchange(port, head(`OPTIONS ${target}`, 'Connection: close'));
  const paths = (await linesOf(service)).map(({ path }) => path);
  expect(paths).toEqual(['/%0a{"level":60}', '/"\\', `/${'a'.repeat(255)}`, '', '*']);
});

test('what never became a request has its line too, and one that broke in its body has one', async () => {
  const service = await start();
  const port = Number(new URL(service.url).port);
  const answer = await exchange(port, 'garbage\r\n\r\n');
  const [, requestId] = /^X-Request-Id: (.*)\r$/m.exec(answer) ?? [];
  const chunked = (id: string, ...fields: string[]) =>
    head(
      'POST /plants',
      'Authorization: Bearer s3cret',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      `X-Request-Id: ${id}`,
      ...fields,
    );
  await exchange(port, `${chunked('at-once')}zz\r\n`); // in one packet: it breaks before anybody has looked at it
  const socket = await openSocket(port);
  socket.write(chunked('later', 'Expect: 100-continue'));
  await once(socket, 'data'); // 100 Continue: the service waits for the body
  socket.write('zz\r\n');
  await once(socket, 'end');
  const asked = { method: 'POST', path: '/plants' };
  const served = { operation: 'createPlant', who: 'alice' };
  expect(await linesOf(service)).toEqual([
    { ...LINE, requestId, status: 400, ...BROKEN },
    { ...LINE, ...asked, requestId: 'at-once', status: 400, ...BROKEN },
    { ...LINE, ...asked, ...served, requestId: 'later', status: 400, ...BROKEN },
  ]);
});

test.each([
  ['info', []],
  ['debug', ['/healthz', '/readyz', '/metrics']],
])('at the level %s, the logged probes are %j', async (LOG_LEVEL, told) => {
  const service = await start({ LOG_LEVEL });
  for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(service.url + path);
  const lines = await linesOf(service);
  expect(lines).toEqual(
    told.map((path) => ({ ...LINE, level: 20, method: 'GET', path, operation: path, status: 200 })),
  );
});

test('a store that is down is an error with its cause, under the id of the reply', async () => {
  const service = await start({ DATABASE_URL: 'postgres://plants:hunter2@127.0.0.1:1/plants' });
  const replies = [await post(service, PLANT, ALICE), await fetch(`${service.url}/readyz`)];
  expect(replies.map(({ status }) => status)).toEqual([503, 503]);

  const failed = { ...LINE, level: 50, status: 503, error: 50301, msg: 'request failed' };
  expect(await linesOf(service)).toEqual([
    {
      ...failed,
      requestId: replies.map(idOf)[0],
      method: 'POST',
      path: '/plants',
      operation: 'createPlant',
      who: 'alice',
      err: expect.objectContaining({
        message: expect.stringContaining('ECONNREFUSED'),
        stack: expect.stringContaining('caused by'),
      }),
    },
    {
      ...failed,
      requestId: replies.map(idOf)[1],
      method: 'GET',
      path: '/readyz',
      operation: '/readyz',
      reason: 'unreachable',
    },
  ]);
  expect(JSON.stringify(service.log)).not.toContain('hunter2');
});

test('at SIGTERM every line is written, each with the id that was answered, before the last word', async () => {
  const service = await start({ DATABASE_URL: 'memory:' });
  const create = async (id: number) => idOf(await post(service, `{"id":${id},"name":"Fern"}`, ALICE));
  const answered = await Promise.all(Array.from({ length: 300 }, (_, id) => create(id)));
  expect(await service.end()).toBe(0);
  const logged = service.log.flatMap(({ requestId }) => requestId ?? []);
  expect(logged.toSorted()).toEqual(answered.toSorted());
  expect(service.log.at(-1)).toMatchObject({ msg: 'stopped' });
});

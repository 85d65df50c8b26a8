import { EventEmitter, once } from 'node:events';
import { head, openSocket, postHead } from '../../../../../tests/support/raw-http.ts';
import { operationServers } from '../../support/serve.ts';
import { post, type Service, startService } from '../../support/service.ts';
import { createThings } from '../../support/things.ts';

const serve = operationServers();

const THING = '{"id":41,"name":"Lamp"}';

/** Hangs up once the service has met the request; `gone` is when the service knows. */
const sendAndHangUp = async (
  { port, server }: Service,
  bytes: string,
  events: EventEmitter,
): Promise<void> => {
  const socket = await openSocket(port);
  server.once('request', (request) => {
    request.once('close', () => events.emit('gone'));
    socket.resetAndDestroy();
  });
  socket.write(bytes);
};

test.each([
  ['in the middle of its request', false, '{"id":1'],
  ['while its token is checked', true, '{"id":1'],
  ['while its token is checked, after its whole request,', true, THING],
])('a client that hangs up %s is logged as such', async (_when, askFirst, body) => {
  const events = new EventEmitter();
  const [gone, told] = [once(events, 'gone'), once(events, 'told')];
  const authenticate = async () => {
    await gone;
    return { name: 'tests', scopes: [] };
  };
  const service = await startService({
    ...(askFirst && { bearerAuth: { type: 'bearer', authenticate } }),
    log: { info: (details, message) => events.emit('told', { ...details, message }) },
  });
  await sendAndHangUp(
    service,
    postHead('X-Request-Id: gone', `Content-Length: ${THING.length}`) + body,
    events,
  );
  expect(await told).toEqual([
    {
      requestId: 'gone',
      method: 'POST',
      path: '/things',
      operation: 'createThing',
      who: 'tests',
      status: undefined,
      ms: expect.any(Number),
      message: 'client hung up',
    },
  ]);
  await service.close();
});

test('a failure is logged, whether or not its client still waits for the answer', async () => {
  const events = new EventEmitter();
  const [gone, told] = [once(events, 'gone'), once(events, 'told')];
  const check = async () => {
    await gone;
    return 'failing' as const;
  };
  const service = await startService({
    things: { ...createThings(), check },
    log: { error: (details, message) => events.emit('told', { ...details, message }) },
  });
  await sendAndHangUp(service, head('GET /readyz'), events);
  expect(await told).toMatchObject([{ path: '/readyz', status: 503, reason: 'failing' }]);
  await service.close();
});

/** A service whose lines at the level info are kept in a list. */
const startListening = async (options: Parameters<typeof startService>[0] = {}) => {
  const lines: object[] = [];
  const service = await startService({ ...options, log: { info: (details) => lines.push(details) } });
  return { ...service, lines };
};

test('every refusal is logged with its number and its reason', async () => {
  const service = await startListening();
  await post(service, THING);
  await post(service, '{"id":41,"name":"Chair"}');
  await post(service, '{"id":"x"}');
  await post(service, THING, { authorization: 'Bearer gu3ss' });
  await post(service, THING, { authorization: '' });
  await post(service, THING, { 'content-type': 'text/plain' });
  await fetch(`${service.url}/nothing`);
  await fetch(`${service.url}/things`, { method: 'PUT' });
  await service.close();
  expect(service.lines).toMatchObject([
    { status: 200 },
    { status: 409, error: 40901, reason: 'another thing has id 41' },
    { status: 400, error: 40002, reason: 'body.name is required; body.id must be an int64' },
    { status: 401, error: 40102, reason: 'the token is not known' },
    { status: 401, error: 40101, reason: 'the Authorization header has another scheme than Bearer' },
    { status: 415, error: 41501, reason: expect.stringContaining('application/json') },
    { status: 404, error: 40401, reason: 'there is nothing at /nothing' },
    { status: 405, error: 40501, reason: 'PUT is not allowed on /things; use POST' },
  ]);
  expect(service.lines[0]).toEqual(expect.not.objectContaining({ reason: expect.anything() }));
});

test('the reply does not contain the logged reason', async () => {
  const service = await startListening();
  const reply = await post(service, THING, { authorization: 'Bearer gu3ss' });
  expect(await reply.json()).toEqual({ error: 40102, message: 'the bearer token is not valid' });
  await service.close();
});

test('a reason repeats nothing of a body that is no JSON', async () => {
  const service = await startListening();
  const reply = await post(service, '{"id":41,"name":b0dy}');
  expect(await reply.text()).toContain('b0dy');
  await service.close();
  expect(service.lines).toMatchObject([{ error: 40001, reason: 'body is not valid JSON' }]);
});

test('a reason repeats nothing of a query', async () => {
  const { url, lines } = await serve(
    {
      parameters: [{ name: 'key', in: 'query', schema: { type: 'string' } }],
      responses: { 204: { description: 'x' } },
    },
    async () => ({ status: 204 }),
  );
  expect(await (await fetch(`${url}?key=s3cret%zz`)).text()).toContain('s3cret');
  expect(lines).toMatchObject([
    { error: 40002, reason: 'a parameter is not the percent-encoding of a text' },
  ]);
});

test.each([
  ['a number and a message', { error: 7, message: 'no' }, { error: 7, reason: 'no' }],
  ['problem details', { title: 'Gone', detail: 'long ago' }, { reason: 'long ago' }],
  ['a text', { error: 'no' }, { reason: 'no' }],
  ['a code that is no safe number', { code: 7n, message: 'no' }, { reason: 'no' }],
  ['nothing that is known', { why: 'no' }, {}],
  ['no object', 'no', {}],
  [
    'characters that forge a line, and more than a line holds',
    { message: `a\n\u001b[31m\u009b\u202e${'b'.repeat(999)}` },
    { reason: `a\\u000a\\u001b[31m\\u009b\\u202e${'b'.repeat(300 - 9)}…` },
  ],
])('an error reply of a handler with %s is logged as far as possible', async (_what, body, told) => {
  const answers = { description: 'No', content: { 'application/json': { schema: {} } } };
  const { url, lines } = await serve({ responses: { 410: answers } }, async () => ({ status: 410, body }));
  await fetch(url);
  const { error, reason }: { error?: unknown; reason?: unknown } = lines[0] ?? {};
  expect({ error, reason }).toEqual(told);
});

test('a long principal name does not make a long line', async () => {
  const authenticate = () => ({ name: 'a'.repeat(5000), scopes: [] });
  const service = await startListening({ bearerAuth: { type: 'bearer', authenticate } });
  await post(service, THING);
  await service.close();
  expect(service.lines).toMatchObject([{ who: 'a'.repeat(256) }]);
});

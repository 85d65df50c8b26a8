import { EventEmitter, once } from 'node:events';
import { head, openSocket, postHead } from '../../support/raw-http.ts';
import { type Service, startService } from '../../support/service.ts';
import { createThings } from '../../support/things.ts';

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
  ['while somebody is asked about its token', true, '{"id":1'],
  ['while somebody is asked about its token, all of its request sent,', true, THING],
])('a client that hangs up %s is told as such', async (_when, askFirst, body) => {
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

test('a failure is told, whether or not its client still waits for the answer', async () => {
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

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { head, openSocket, parseReplies, postRequest, readToEnd } from '@trellis/test-support/raw-http';
import { post, read, type Service, startService } from '../../support/service.ts';
import { holdThings } from '../../support/things.ts';

/** Longer than a test may take: waiting for it fails the test. */
const FOREVER = 600_000;
/** Makes /openapi.json a reply of 1.4 MB. */
const description = 'A long story. '.repeat(100_000);
const THING = '{"id":1,"name":"Lamp"}';

/** What each reply says about the connection. */
const connectionFields = (answer: string) => answer.match(/(?<=^Connection: )[a-z-]+/gm);

/** Settles once new connections are refused: the stop accepts those that came before it had looked. */
const untilRefused = async ({ server, port }: Service): Promise<void> => {
  while (server.listening) await new Promise(setImmediate);
  await expect(openSocket(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
};

let service: Service;
let held: ReturnType<typeof holdThings>;
beforeEach(async () => {
  held = holdThings();
  service = await startService({ things: held.things, description });
});
afterEach(() => {
  held.release();
  return service.close();
});

test('a request in flight gets its answer, and the stop waits for it', async () => {
  const reply = read(post(service, THING));
  await held.reached;
  const order: string[] = [];
  const stopped = service.stop(FOREVER).then(() => order.push('stopped'));
  await untilRefused(service);
  order.push('released');
  held.release();

  expect(await reply).toEqual({ status: 200, body: { name: 'Lamp' } });
  await stopped;
  expect(order).toEqual(['released', 'stopped']);
});

test('new connections are refused once those that came before are taken in, however long the stop takes', async () => {
  const reply = read(post(service, THING));
  await held.reached;
  const stopped = service.stop(FOREVER);
  const waiting = await Promise.all(Array.from({ length: 20 }, () => openSocket(service.port)));
  const answers = waiting.map(readToEnd);
  for (const socket of waiting) socket.write(head('GET /healthz'));
  for (const answer of answers) expect(parseReplies(await answer)).toMatchObject([{ status: 200 }]);
  await untilRefused(service);
  held.release();
  await Promise.all([reply, stopped]);
});

test('while a stop drains, new connections are served, each with one answer', async () => {
  const stopped = service.stop(FOREVER, 200);
  for (let asked = 0; asked < 3; asked += 1)
    expect((await fetch(`${service.url}/healthz`)).headers.get('connection')).toBe('close');
  await stopped;
  await untilRefused(service);
});

test('with no connections a stop takes no time', async () => {
  const idle = await startService();
  let turns = 0;
  let isStopped = false;
  void idle.stop(FOREVER).then(() => {
    isStopped = true;
  });
  while (!isStopped && turns < 100) {
    await new Promise(setImmediate);
    turns += 1;
  }
  expect(turns).toBeLessThan(100);
});

test('a reply that a slow client is still reading arrives in full, and the stop waits for it', async () => {
  const path = '/openapi.json';
  const { byteLength } = await (await fetch(service.url + path)).arrayBuffer();
  const replies = 8; // more than the sockets of both sides hold
  const socket = await openSocket(service.port);
  socket.write(head(`GET ${path}`).repeat(replies));
  await once(socket, 'readable');
  const stopped = service.stop(FOREVER);
  let received = 0;
  for await (const chunk of socket) {
    received += chunk.length;
    if (received < byteLength) await sleep(5); // past the last call
  }
  expect(received).toBeGreaterThan(replies * byteLength);
  await stopped;
});

test('an idle connection that was kept alive is closed at once', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(head('GET /healthz'));
  await once(socket, 'data');
  await service.stop(FOREVER);
  expect(parseReplies(await answer)).toMatchObject([{ status: 200 }]);
});

test('a client that connected before the stop and is slow to send its first request gets its answer', async () => {
  const accepted = once(service.server, 'connection');
  const [unused, used] = [await openSocket(service.port), await openSocket(service.port)];
  const answer = readToEnd(unused);
  await accepted;
  used.write(head('GET /healthz'));
  await once(used, 'data');
  const stopped = service.stop(FOREVER);
  await readToEnd(used); // idle, and closed
  unused.write(head('GET /healthz'));
  expect(parseReplies(await answer)).toMatchObject([{ status: 200 }]);
  await stopped;
});

test('a connection that never sent a byte does not delay the stop for long', async () => {
  const accepted = once(service.server, 'connection');
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  await accepted;
  await service.stop(FOREVER);
  expect(await answer).toBe('');
});

test('a client that never finishes its request is cut off after the grace time', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  const met = once(service.server, 'request');
  socket.write(postRequest(THING).slice(0, -1));
  await met;
  await service.stop(50);
  expect(await answer).toBe('');
});

test('a store that never answers does not delay the stop beyond the grace time', async () => {
  const lost = post(service, THING).catch((error: unknown) => error);
  await held.reached;
  await service.stop(50);
  expect(await lost).toHaveProperty('cause');
});

test('a request that follows another during the stop is answered too, and then the connection closed', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postRequest(THING));
  await held.reached;
  const stopped = service.stop(FOREVER);
  const met = once(service.server, 'request');
  socket.write(head('GET /healthz'));
  await met;
  held.release();
  await stopped;

  expect(connectionFields(await answer)).toEqual(['keep-alive', 'close']);
  expect(parseReplies(await answer)).toMatchObject([
    { status: 200, body: { name: 'Lamp' } },
    { status: 200, body: { status: 'ok' } },
  ]);
});

test.each([
  ['a request', []],
  ['a request that expects something unknown', ['Expect: nonsense']],
  ['a request that waits for 100 Continue', ['Expect: 100-continue']],
])(
  '%s, its header under way when the stop began, is answered, and the connection closed',
  async (_what, fields) => {
    const socket = await openSocket(service.port);
    const answer = readToEnd(socket);
    const request = head('GET /healthz', ...fields);
    socket.write(head('GET /healthz') + request.slice(0, 20)); // in one packet: the first answer tells that both have arrived
    await once(socket, 'data');
    const stopped = service.stop(FOREVER);
    socket.write(request.slice(20));
    await stopped;

    expect(connectionFields(await answer)).toEqual(['keep-alive', 'close']);
  },
);

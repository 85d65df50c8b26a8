import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postHead,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const send = (socket: Socket, bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Sends, waits until an answer must be on its way, sends a lot more, and only then reads: had the connection been
 * reset in the meantime, sending would fail.
 */
const talkOver = async (bytes: string) => {
  const socket = await openSocket(service.port, { allowHalfOpen: true });
  await send(socket, bytes);
  await fetch(`${service.url}/healthz`);
  for (let sent = 0; sent < 100; sent++) {
    await send(socket, 'more of the same\r\n'.repeat(1000));
    await setImmediate(); // the service, in this same process, has its turn
  }
  socket.end();
  return parseReplies(await readToEnd(socket));
};

test.each([
  ['garbage', 400, 'garbage\r\n\r\n'],
  ['CONNECT', 400, 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n'],
  ['headers too large', 431, head('GET /healthz', `X: ${'a'.repeat(65_536)}`)],
  ['a broken body', 400, `${postHead('Transfer-Encoding: chunked')}zz\r\n`],
  ['an early 401, in place of its body,', 401, head('POST /things', 'Transfer-Encoding: chunked')],
  ['an early 401 that closes', 401, head('POST /things', 'Transfer-Encoding: chunked', 'Connection: close')],
  ['an early 404 that closes', 404, head('POST /x', 'Content-Length: 9000000', 'Connection: close')],
  ['an early 413 that closes', 413, postHead('Content-Length: 9000000', 'Connection: close')],
])('a client that keeps on sending after %s gets to read its one answer', async (_name, status, bytes) => {
  expect(await talkOver(bytes)).toEqual([
    { status, type: 'application/json', body: { error: expect.any(Number), message: expect.any(String) } },
  ]);
});

/** A new connection, seen from both sides. */
const openBothSides = async () => {
  const accepted = once(service.server, 'connection');
  const socket = await openSocket(service.port, { allowHalfOpen: true });
  const [serverSide]: Socket[] = await accepted;
  return { socket, closed: new Promise((resolve) => serverSide?.once('close', resolve)) };
};

test.each([
  ['garbage', 'garbage\r\n\r\n'],
  ['CONNECT', 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n'],
  ['half a body', `${postHead('Content-Length: 20')}{`],
])('a client that sends %s and resets the connection does no harm', async (_name, bytes) => {
  const { socket, closed } = await openBothSides();
  socket.write(bytes);
  socket.resetAndDestroy();
  await closed;
  expect(parseReplies(await exchange(service.port, head('GET /healthz', 'Connection: close')))).toMatchObject(
    [{ status: 200 }],
  );
  expect(service.logged).toEqual([]);
});

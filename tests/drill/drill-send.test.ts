import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createSender } from '../../scripts/drill/faults/send.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A server that answers the first request of a connection, and does something else about the next. */
const startServer = async (onSecond: (socket: Socket) => void = () => {}) => {
  let socket: Socket | undefined;
  const server = createServer((accepted) => {
    let asked = 0;
    socket = accepted.on('error', () => {});
    accepted.on('data', () => {
      asked += 1;
      if (asked === 1) accepted.write(ANSWER);
      else onSecond(accepted);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const sender = createSender(true);
  return {
    ask: () => sender.send(`http://127.0.0.1:${port}`, '{}'),
    socket: () => socket,
    close: async () => {
      sender.close();
      socket?.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

test('an answer is reported with its status and its text', async () => {
  const server = await startServer((socket) => socket.write(ANSWER));
  expect(await server.ask()).toMatchObject({ status: 200, text: 'ok' });
  expect(await server.ask()).toMatchObject({ status: 200, text: 'ok' });
  await server.close();
});

test('a request to a closed port was never sent', async () => {
  const server = await startServer();
  await server.close();
  expect(await server.ask()).toBe('refused');
});

test.each<[string, (socket: Socket) => void]>([
  ['reads it and closes', (socket) => socket.destroy()],
  ['reads it and ends', (socket) => socket.end()],
  ['reads it and resets', (socket) => socket.resetAndDestroy()],
  ['answers half of it', (socket) => socket.end(ANSWER.slice(0, -1))],
])('a request is unanswered where the service %s', async (_what, onSecond) => {
  const server = await startServer(onSecond);
  await server.ask();
  expect(await server.ask()).toBe('unanswered');
  await server.close();
});

test('a request is unanswered if the service closes the connection before reading it', async () => {
  const server = await startServer();
  await server.ask();
  const socket = server.socket()?.pause();
  setTimeout(() => socket?.destroy(), 100);
  expect(await server.ask()).toBe('unanswered');
  await server.close();
});

test('a request is too late where the service had closed the kept connection before', async () => {
  const server = await startServer();
  await server.ask();
  server.socket()?.destroy();
  expect(await server.ask()).toBe('too late');
  await server.close();
});

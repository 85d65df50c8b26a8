/** Hostile connections in one process. Each one is opened again shortly after it is closed. */
import { connect, type Socket } from 'node:net';
import { onQuestion } from '../measure/child-side.ts';

/** All in milliseconds: until a closed connection is opened again, until all connections of a crowd are open, between bytes. */
const REOPEN_AFTER = 500;
const ARRIVAL = 1000;
const SLOW_INTERVAL = 1000;

/** The number of the current crowd. Connections of an earlier one are not opened again. */
let crowd = 1;
const sockets = new Set<Socket>();

/** What a connection does once it is open. */
type Behave = (socket: Socket, nth: number) => void;

const CONTRACT = 'GET /openapi.json HTTP/1.1\r\nHost: drill\r\n\r\n';
const PLANT = '{"id":1,"name":"a"}';
const post = (fields: string): string =>
  `POST /plants HTTP/1.1\r\nHost: drill\r\nContent-Type: application/json\r\n${fields}`;
const create = (token: string): string =>
  `${post(`${token}Content-Length: ${PLANT.length}`)}\r\n\r\n${PLANT}`;

/** Writes the same bytes as fast as the connection takes them. */
const pour = (socket: Socket, bytes: Buffer): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', () => setImmediate(write));
  write();
};

/** Pipelines requests, and never reads. */
const neverRead =
  (token: string): Behave =>
  (socket, nth) => {
    const request = [CONTRACT, create(token), create('')][nth % 3] ?? '';
    pour(socket, Buffer.from(request.repeat(16)));
  };

/** Pipelines as many requests for the contract as a connection may, more than socket buffers hold, and never reads. */
const askForContract: Behave = (socket) => {
  socket.write(CONTRACT.repeat(16));
};

const CHUNK = Buffer.from(`10000\r\n${'a'.repeat(65_536)}\r\n`);

/** Sends an endless body, without a token. */
const endless: Behave = (socket) => {
  socket.resume();
  socket.write(`${post('Transfer-Encoding: chunked')}\r\n\r\n`);
  pour(socket, CHUNK);
};

/** Sends a header or a body byte by byte, slowly. */
const slow =
  (token: string): Behave =>
  (socket, nth) => {
    socket.resume();
    socket.write(
      nth % 2 === 0 ? 'GET /healthz HTTP/1.1\r\nX: ' : `${post(`${token}Content-Length: 100000`)}\r\n\r\n`,
    );
    const timer = setInterval(() => socket.write('1'), SLOW_INTERVAL);
    socket.once('close', () => clearInterval(timer));
  };

const behaviours: Readonly<Record<string, (token: string) => Behave>> = {
  'never read': neverRead,
  'ask for the contract': () => askForContract,
  endless: () => endless,
  slow,
};

const open = (port: number, behave: Behave, nth: number, ownCrowd: number): void => {
  if (ownCrowd !== crowd) return;
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('connect', () => behave(socket, nth));
  socket.once('close', () => {
    sockets.delete(socket);
    setTimeout(open, REOPEN_AFTER, port, behave, nth, ownCrowd);
  });
};

onQuestion((question, kind, count, port, token) => {
  if (question === 'open') {
    const behave = behaviours[String(kind)]?.(`Authorization: Bearer ${token}\r\n`);
    for (let nth = 0; behave && nth < Number(count); nth += 1)
      setTimeout(open, (ARRIVAL * nth) / Number(count), Number(port), behave, nth, crowd);
    return;
  }
  crowd += 1;
  for (const socket of sockets) socket.destroy();
});

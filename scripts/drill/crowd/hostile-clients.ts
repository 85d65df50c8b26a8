/** Hostile connections in one process. Each one is opened again shortly after it is closed. */
import { connect, type Socket } from 'node:net';
import { onQuestion } from '../measure/child.ts';
import { AUTHORIZATION, CHUNKED, HOST, JSON_TYPE, lengthOf, writeRequest } from '../wire.ts';

/** All in milliseconds: until a closed connection is opened again, until all connections of a crowd are open, between bytes. */
const REOPEN_AFTER = 500;
const ARRIVAL = 1000;
const SLOW_INTERVAL = 1000;

/** The number of the current crowd. Connections of an earlier one are not opened again. */
let crowd = 1;
const sockets = new Set<Socket>();

/** Requests are pipelined 16 at a time, which is as many as a connection may. */
const pipeline = (request: Buffer): Buffer => Buffer.alloc(request.length * 16, request);
const post = (fields: readonly string[], body = ''): Buffer =>
  writeRequest('POST /plants HTTP/1.1', [HOST, JSON_TYPE, ...fields], body);
const PLANT = '{"id":1,"name":"a"}';
const CONTRACT = pipeline(writeRequest('GET /openapi.json HTTP/1.1', [HOST]));
const CREATE = pipeline(post([AUTHORIZATION, lengthOf(PLANT)], PLANT));
const REFUSED = pipeline(post([lengthOf(PLANT)], PLANT));
const CHUNK = Buffer.from(`10000\r\n${'a'.repeat(65_536)}\r\n`);

/** Writes the same bytes as fast as the connection takes them. */
const pour = (socket: Socket, bytes: Buffer): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', () => setImmediate(write));
  write();
};

/** What a connection does once it is open. */
type Behave = (socket: Socket, nth: number) => void;

const BEHAVIOURS: Readonly<Record<string, Behave>> = {
  neverRead: (socket, nth) => pour(socket, [CONTRACT, CREATE, REFUSED][nth % 3] ?? CONTRACT),
  // More than socket buffers hold.
  contract: (socket) => void socket.write(CONTRACT),
  endless(socket) {
    socket.resume();
    socket.write(post([CHUNKED]));
    pour(socket, CHUNK);
  },
  /** Sends a header or a body byte by byte. */
  slow(socket, nth) {
    socket.resume();
    socket.write(
      nth % 2 === 0 ? 'GET /healthz HTTP/1.1\r\nX: ' : post([AUTHORIZATION, 'Content-Length: 100000']),
    );
    const timer = setInterval(() => socket.write('1'), SLOW_INTERVAL);
    socket.once('close', () => clearInterval(timer));
  },
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

onQuestion((question, kind, count, port) => {
  if (question === 'open') {
    const behave = BEHAVIOURS[String(kind)];
    for (let nth = 0; behave && nth < Number(count); nth += 1)
      setTimeout(open, (ARRIVAL * nth) / Number(count), Number(port), behave, nth, crowd);
    return;
  }
  crowd += 1;
  for (const socket of sockets) socket.destroy();
});

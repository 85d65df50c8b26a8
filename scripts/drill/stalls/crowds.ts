/** Hostile connections in a process of their own. Each one is opened again shortly after it is closed. */
import { connect, type Socket } from 'node:net';
import { arrivalOf, type Crowd } from './cases.ts';
import { onQuestion } from './child.ts';

/** How long it takes until a closed connection is opened again, in milliseconds. */
const REOPEN_AFTER = 500;

/** The number of the current crowds. Connections of earlier ones are not opened again. */
let current = 1;
const sockets = new Set<Socket>();

/** Writes the same bytes as fast as the connection takes them. */
const pour = (socket: Socket, bytes: Buffer): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', () => setImmediate(write));
  write();
};

const behave = (socket: Socket, { first, more, every, reads }: Crowd): void => {
  if (reads) socket.resume();
  socket.write(first);
  if (more !== undefined && every === undefined) pour(socket, Buffer.from(more));
  if (more === undefined || every === undefined) return;
  const timer = setInterval(() => socket.write(more), every);
  socket.once('close', () => clearInterval(timer));
};

const open = (port: number, crowd: Crowd, own: number): void => {
  if (own !== current) return;
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('connect', () => behave(socket, crowd));
  socket.once('close', () => {
    sockets.delete(socket);
    setTimeout(open, REOPEN_AFTER, port, crowd, own);
  });
};

const isCrowds = (value: unknown): value is readonly Crowd[] => Array.isArray(value);

onQuestion((question, port, crowds) => {
  if (question === 'open' && isCrowds(crowds)) {
    for (const crowd of crowds)
      for (let nth = 0; nth < crowd.connections; nth += 1)
        setTimeout(open, (arrivalOf(crowd) * nth) / crowd.connections, Number(port), crowd, current);
    return;
  }
  current += 1;
  for (const socket of sockets) socket.destroy();
});

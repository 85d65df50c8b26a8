/**
 * The program of a crowd: hostile connections in a separate process, so that they do not slow down the measurement.
 * Each connection is reopened shortly after it is closed. All of them end with the process.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Connections that behave alike, and come again when they are closed. */
export interface Crowd {
  readonly connections: number;
  /** How long it takes until all of them are open, in milliseconds. */
  readonly arrival?: number;
  /** What each sends at first. */
  readonly first: string;
  /** The text sent repeatedly after that: as fast as possible, or at an interval in milliseconds. */
  readonly more?: string;
  readonly every?: number;
  readonly reads: boolean;
}

/** How long it takes until a closed connection is opened again, in milliseconds. */
const REOPEN_AFTER = 500;

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

/** Well-behaved clients have another address, so that they do not share the crowd's part of the memory. */
const OTHER_ADDRESS = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

const open = (port: number, crowd: Crowd): void => {
  const socket = connect({ port, host: '127.0.0.1', ...OTHER_ADDRESS });
  socket.on('error', () => {});
  socket.once('connect', () => behave(socket, crowd));
  socket.once('close', () => setTimeout(open, REOPEN_AFTER, port, crowd));
};

process.once('message', async (work) => {
  const { port, crowds }: { readonly port: number; readonly crowds: readonly Crowd[] } = JSON.parse(
    String(work),
  );
  const arrive = async (crowd: Crowd): Promise<void> => {
    const { connections, arrival = 1000 } = crowd;
    for (let nth = 0; nth < connections; nth += 1)
      setTimeout(open, (arrival * nth) / connections, port, crowd);
    await sleep(arrival);
  };
  await Promise.all(crowds.map(arrive));
  process.send?.('all are there');
});
process.on('disconnect', () => process.exit());

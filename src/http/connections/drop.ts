import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Turns } from './turns.ts';

/** So many bytes that nobody will use are read: who is not far above a limit can send to the end, and read the answer. */
export const MOST_DROPPED = 4 * 2 ** 20;

/** And for so long, in milliseconds. */
const DROP_FOR = 2000;

/** How long a client then has to take its answer in, in milliseconds, before the connection is closed. */
const TAKE_IN = 500;

/** A chunk has a cost beside its bytes, on the wire and here. */
const COST_OF_CHUNK = 16;

/**
 * Bounds what is still read of a connection whose client has its answer. A connection that is closed over unread bytes is
 * reset, and the reset can overtake the answer (RFC 9112, section 9.6). So first some of it is read and dropped, in turn
 * with others, and then none, until the client had time to see the answer.
 */
const boundDropping = (socket: Duplex, turns: Turns) => {
  let left = MOST_DROPPED;
  let isWaiting = false;
  let timer: NodeJS.Timeout;
  const finish = (): void => {
    clearTimeout(timer);
    socket.off('close', finish);
  };
  const giveUp = (): void => {
    left = 0;
    socket.pause();
    if (socket.writable) socket.end();
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), TAKE_IN);
  };
  const readOn = (): void => {
    isWaiting = false;
    if (left > 0) socket.resume();
  };
  timer = setTimeout(giveUp, DROP_FOR);
  socket.once('close', finish);
  return {
    /** Waits for the next turn to read on. */
    wait(): void {
      if (isWaiting) return;
      isWaiting = true;
      turns.readLater(readOn);
    },
    /** Counts what was read and dropped; tells whether that was too much. */
    count(bytes: number): boolean {
      const isOver = left <= 0;
      left -= bytes + COST_OF_CHUNK;
      if (left <= 0 && !isOver) giveUp();
      return left <= 0;
    },
    /** There is nothing left to drop, and the connection goes on. */
    finish,
  };
};

/** Drops the rest of a request that was answered before its end. If that comes in time, the connection goes on. */
export const dropRest = (request: IncomingMessage, turns: Turns): void => {
  const { socket } = request;
  if (socket.destroyed) return;
  const { push } = request;
  const dropping = boundDropping(socket, turns);
  // Whatever Node has parsed it pushes; told that it was too much, it reads no more until the socket is resumed.
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      dropping.finish();
      return push.call(request, null);
    }
    if (!dropping.count(chunk.length)) dropping.wait();
    return false;
  };
  request.resume(); // what Node holds already
  dropping.wait();
};

/** Drops whatever comes on a connection that has its last answer, and closes it. */
export const dropAll = (socket: Duplex, turns: Turns): void => {
  const dropping = boundDropping(socket, turns);
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    if (!dropping.count(chunk.length)) dropping.wait();
  });
  dropping.wait();
};

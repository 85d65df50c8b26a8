import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { replacePush } from '../../contract/body/chunks.ts';
import { closeUpload } from '../../contract/body/upload.ts';
import type { Turns } from './turns.ts';

/** How many bytes are read and discarded: a client that is not far above a limit can finish, and read its answer. */
export const MAX_DISCARDED = 4 * 2 ** 20;

/** For how many milliseconds bytes are discarded. */
const DISCARD_FOR = 2000;

/** How many milliseconds a client then has to read its answer before the connection is closed. */
const CLOSE_AFTER = 500;

/** What a chunk costs beside its bytes, on the wire and here. */
const CHUNK_COST = 16;

/**
 * Limits how much is still read from a client that has its answer. Closing a connection with unread bytes resets it,
 * and the reset can overtake the answer (RFC 9112, section 9.6). So some bytes are read and discarded first; then
 * nothing is read until the client has had time to see the answer.
 */
const createDiscard = (socket: Duplex, turns: Turns) => {
  let left = MAX_DISCARDED;
  let isScheduled = false;
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
    timer = setTimeout(() => socket.destroy(), CLOSE_AFTER);
  };
  const readOn = (): void => {
    isScheduled = false;
    if (left > 0) socket.resume();
  };
  timer = setTimeout(giveUp, DISCARD_FOR);
  socket.once('close', finish);
  return {
    /** Reads on in a later turn. */
    readLater(): void {
      if (isScheduled) return;
      isScheduled = true;
      turns.readLater(readOn);
    },
    /** Counts discarded bytes; returns whether the limit is reached. */
    count(bytes: number): boolean {
      const wasOver = left <= 0;
      left -= bytes + CHUNK_COST;
      if (left <= 0 && !wasOver) giveUp();
      return left <= 0;
    },
    /** Ends the limit: nothing is left to discard, and the connection goes on. */
    finish,
  };
};

/**
 * Discards the rest of a request that was answered before its end. If the end comes in time, the connection goes on.
 */
export const discardRest = (request: IncomingMessage, turns: Turns): void => {
  const { socket } = request;
  closeUpload(request);
  if (socket.destroyed) return;
  const discard = createDiscard(socket, turns);
  // As long as this returns false, Node reads no more until the socket is resumed.
  const push = replacePush(request, (chunk) => {
    if (chunk === null) {
      discard.finish();
      return push.call(request, null);
    }
    if (!discard.count(chunk.length)) discard.readLater();
    return false;
  });
  request.resume(); // discards what Node has read already
  discard.readLater();
};

/** Discards whatever else arrives on a connection that has its last answer, and closes it. */
export const discardAll = (socket: Duplex, turns: Turns): void => {
  const discard = createDiscard(socket, turns);
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    if (!discard.count(chunk.length)) discard.readLater();
  });
  discard.readLater();
};

import type { Duplex } from 'node:stream';
import type { Turns } from './turns.ts';

/** How many bytes are read and discarded: a client that is not far above a limit can finish, and read its answer. */
const MAX_DISCARDED = 4 * 2 ** 20;

/** For how many milliseconds bytes are discarded. */
const DISCARD_FOR = 2000;

/** How many milliseconds a client then has to read its answer before the connection is closed. */
const CLOSE_AFTER = 500;

/**
 * Closes a connection on which more may arrive than was read, with a last answer if there is one. Closing it with unread
 * bytes resets it, and the reset can overtake the answer (RFC 9112, section 9.6). So our side is ended, and some bytes are
 * read and discarded, none of which is parsed; then nothing is read until the client has had time to see the answer.
 */
export const closeInStages = (socket: Duplex, turns: Turns, writeAnswer?: () => string): void => {
  if (socket.destroyed) return;
  if (socket.writable) socket.end(writeAnswer?.());
  let left = MAX_DISCARDED;
  const giveUp = (): void => {
    left = 0;
    socket.pause();
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), CLOSE_AFTER);
  };
  const readOn = (): void =>
    turns.readLater(() => {
      if (left > 0) socket.resume();
    });
  let timer = setTimeout(giveUp, DISCARD_FOR);
  socket.once('close', () => clearTimeout(timer));
  socket
    .removeAllListeners('data')
    .removeAllListeners('end')
    .on('data', (chunk: Buffer) => {
      socket.pause();
      left -= chunk.length;
      if (left > 0) readOn();
      else giveUp();
    });
  readOn();
};

import { mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Longer paths of sockets are cut, on some systems at 103 bytes and on Linux at 107 (unix(7)). */
const MAX_BYTES = 103;

/** How long to wait for the process that should connect, in milliseconds. */
const WAIT = 10_000;

const PREFIX = 'workers-';
const socketIn = (folder: string): string => join(folder, 'socket');
const hasRoom = (parent: string): boolean =>
  Buffer.byteLength(socketIn(join(parent, `${PREFIX}XXXXXX`))) <= MAX_BYTES;

/** Whether no other user can put something in the place of what this user makes in a folder. */
const isSafe = (parent: string): boolean => {
  const { uid, mode } = statSync(parent);
  const isOurs = uid === 0 || uid === process.getuid?.();
  const isSticky = (mode & 0o1000) !== 0;
  return isOurs && (isSticky || (mode & 0o022) === 0);
};

/** Makes a folder that only this user can enter. */
const makeFolder = (file: string): string => {
  for (const parent of [tmpdir(), '/tmp', dirname(resolve(file))])
    try {
      if (hasRoom(parent) && isSafe(parent)) return mkdtempSync(join(parent, PREFIX));
    } catch {
      // the next one may be there, and writable
    }
  throw new Error(
    'no folder can hold the socket of the workers; set TMPDIR to one with a short path that this user can write to',
  );
};

/**
 * Listens for one connection, at a socket that only this user can reach, and gives its path. The socket is there until
 * somebody has connected, and no longer: cleaners of temporary files have nothing to remove that is needed later, and
 * kill -9 leaves nothing behind that somebody would have to remove.
 */
export const listenOnce = (
  file: string,
  serve: (socket: Socket) => void,
  closing: AbortSignal,
): Promise<string> => {
  const folder = makeFolder(file);
  const path = socketIn(folder);
  const stop = (): void => {
    clearTimeout(tooLate);
    closing.removeEventListener('abort', stop);
    server.close(); // removes the socket
    try {
      rmdirSync(folder);
    } catch {
      // somebody has removed it, or has put something there, which stays
    }
  };
  const server = createServer((socket) => {
    stop();
    serve(socket);
  });
  const tooLate = setTimeout(stop, WAIT).unref();
  closing.addEventListener('abort', stop);
  return new Promise((resolve, reject) =>
    server
      .on('error', reject)
      .listen(path, () => resolve(path))
      .unref(),
  );
};

import type { Socket } from 'node:net';
import type { Answer, Ask, Writes } from '../protocol.ts';
import { receiveFrames, sendFrame } from './frames.ts';
import { listenOnce } from './listen-once.ts';

interface AskedWrite {
  readonly socket: Socket;
  readonly write: readonly Writes[];
}

const countRows = (batch: readonly Writes[]): number => batch.reduce((sum, { count }) => sum + count, 0);

/** Gives each process its part of the answer to the writes of all. */
const sendParts = (asked: readonly AskedWrite[], { hits, ...answer }: Answer): void => {
  let done = 0;
  for (const { socket, write } of asked) {
    const start = done;
    done += countRows(write);
    sendFrame(socket, hits ? { hits: hits.slice(start, done) } : answer);
  }
};

/** Answers a request: passes the answer on at once, and may then do other work. */
export type Respond = (ask: Ask, send: (answer: Answer) => void) => void;

/**
 * Answers other processes, at sockets. Whatever they have written by the time that the file is free is one transaction,
 * with one fsync.
 */
export const serveProcesses = (respond: Respond) => {
  const sockets = new Set<Socket>();
  const closing = new AbortController();
  const asked: { readonly socket: Socket; readonly ask: Ask }[] = [];

  const writeTogether = (writes: readonly AskedWrite[]): void => {
    if (writes.length === 0) return;
    respond({ write: writes.flatMap(({ write }) => write) }, (answer) => sendParts(writes, answer));
  };
  const respondToAll = (): void => {
    const writes: AskedWrite[] = [];
    for (const { socket, ask } of asked.splice(0)) {
      if (typeof ask === 'object' && 'write' in ask) writes.push({ socket, write: ask.write });
      else {
        writeTogether(writes.splice(0)); // a process gets its answers in the order of its requests
        respond(ask, (answer) => sendFrame(socket, answer));
      }
    }
    writeTogether(writes);
  };

  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // the process has ended
    receiveFrames(socket, (ask: Ask) => {
      if (asked.length === 0) setImmediate(respondToAll);
      asked.push({ socket, ask });
    });
    sendFrame(socket, {}); // the file is open
  };
  return {
    /** Lets one process connect, and gives the path of the socket for that. */
    listen: async (file: string): Promise<string> => listenOnce(file, serve, closing.signal),
    close(): void {
      closing.abort();
      for (const socket of sockets) socket.end();
    },
  };
};

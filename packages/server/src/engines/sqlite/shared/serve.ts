import type { Socket } from 'node:net';
import type { Respond } from '../file/writers.ts';
import type { Answer, Ask, Request, Statement, Writes } from '../protocol.ts';
import { OPENED } from '../protocol.ts';
import { receiveFrames, sendFrame } from './frames.ts';
import { listenOnce } from './listen-once.ts';

interface AskedWrite {
  readonly write: readonly (Writes | Statement)[];
  readonly send: (answer: Answer) => void;
}

const countRows = (batch: AskedWrite['write']): number =>
  batch.reduce((sum, work) => sum + ('sql' in work ? 1 : work.count), 0);

/** Gives each process its part of the answer to the writes of all. */
const sendParts = (asked: readonly AskedWrite[], { results, ...answer }: Answer): void => {
  let done = 0;
  for (const { write, send } of asked) {
    const start = done;
    done += countRows(write);
    send(results ? { results: results.slice(start, done) } : answer);
  }
};

const isWrite = (ask: Ask): ask is Extract<Ask, { readonly write: unknown }> =>
  typeof ask === 'object' && 'write' in ask;

/**
 * Answers other processes, at sockets. Whatever they have written by the time that the file is free is one transaction,
 * with one fsync. `leave` is told of a process that has gone.
 */
export const serveProcesses = (respond: Respond, leave: (asker: object) => void) => {
  const sockets = new Set<Socket>();
  const closing = new AbortController();
  const asked: AskedWrite[] = [];

  const writeTogether = (): void => {
    const writes = asked.splice(0);
    respond({ write: writes.flatMap(({ write }) => write) }, asked, (answer) => sendParts(writes, answer));
  };

  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      leave(socket);
    });
    socket.on('error', () => {}); // the process has ended
    receiveFrames(socket, ({ id, ask }: Request) => {
      const send = (answer: Answer): void => sendFrame(socket, { id, answer });
      if (!isWrite(ask)) return respond(ask, socket, send);
      if (asked.length === 0) setImmediate(writeTogether);
      asked.push({ write: ask.write, send });
    });
    sendFrame(socket, OPENED);
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

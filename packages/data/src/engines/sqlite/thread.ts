/**
 * The thread that writes to a SQLite file, reads from it, or makes its checkpoints: SQLite blocks its caller while it waits
 * for the disk.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { fileLost, reasonOf, toFailure } from './errors.ts';
import { type Checkpointing, serveCheckpoints } from './file/checkpoints.ts';
import { type Connection, openConnection } from './file/connection.ts';
import { failed, type Send } from './file/shared-commit.ts';
import { queueWriters } from './file/writers.ts';
import { type Answer, type Ask, OPENED, type Opening, type Reply, type Request } from './protocol.ts';

type Work = Exclude<Ask, string | { readonly transaction: number }>;

const perform = (connection: Connection, ask: Work): Answer => {
  if ('write' in ask) return { results: connection.write(ask.write) };
  if ('find' in ask) return { results: connection.find(ask.find) };
  return { counted: connection.copyInto(ask.copyInto, ask.count) };
};

const serve = (connection: Connection, path: string): void => {
  let isOver = false;

  const attempt = (work: () => Answer): Answer => {
    try {
      return work();
    } catch (cause) {
      // All requests that wait get the last answer, so it must not be the failure of a single statement.
      if (!connection.isSameFile()) return { ...toFailure(fileLost(path)), isLast: true };
      // A connection that SQLite could only open to read stays read-only, whatever becomes of the file.
      return { ...toFailure(cause), isLast: reasonOf(cause) === 'readonly' };
    }
  };
  /** Sends an answer, and ends the thread if that is the last one. */
  const deliver = (answer: Answer, send: Send) => {
    send(answer);
    if (!answer.isLast) return connection.tidy();
    isOver = true;
    parentPort?.close();
    writers.close();
    connection.close();
  };
  const writers = queueWriters(connection, { attempt, deliver });

  const check = (): Answer => {
    connection.check();
    return {};
  };
  const respond = (ask: Ask, send: Send) => {
    if (isOver) return send(failed('failing', 'the thread of the store ends'));
    if (ask === 'close') return deliver({ isLast: true }, send);
    if (ask === 'check') return deliver(attempt(check), send);
    if ('transaction' in ask) return writers.transact(ask, send);
    writers.perform(() => perform(connection, ask), send);
  };
  parentPort?.on('message', ({ id, ask }: Request) =>
    respond(ask, (answer) => parentPort?.postMessage({ id, answer } satisfies Reply)),
  );
  parentPort?.postMessage(OPENED);
};

const start = (opening: Opening): Promise<void> =>
  openConnection(opening, import.meta.url)
    .then((connection) => serve(connection, opening.path))
    .catch((cause: unknown) =>
      parentPort?.postMessage({ ...OPENED, answer: { ...toFailure(cause, false), isLast: true } }),
    );

const work: Opening | Checkpointing = workerData;
if ('checkpointed' in work) serveCheckpoints(work);
else await start(work);

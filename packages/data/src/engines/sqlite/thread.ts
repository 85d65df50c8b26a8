/**
 * The thread that writes to a SQLite file, reads from it, or makes its checkpoints: SQLite blocks its caller while it waits
 * for the disk.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { toFailure } from './errors.ts';
import { serveCheckpoints } from './file/checkpoints.ts';
import { type Connection, openConnection } from './file/connection.ts';
import { queueWriters } from './file/writers.ts';
import { type Answer, type Ask, OPENED, type Reply, type Request, type ThreadData } from './protocol.ts';

const send = (id: number, answer: Answer): void => parentPort?.postMessage({ id, answer } satisfies Reply);

const perform = (
  connection: Connection,
  ask: Exclude<Ask, string | { readonly transaction: number }>,
): Answer => {
  if ('write' in ask) return { results: connection.write(ask.write) };
  if ('find' in ask) return { results: connection.find(ask.find) };
  return { counted: connection.copyInto(ask.copyInto, ask.count) };
};

const serve = (connection: Connection): void => {
  const writers = queueWriters(connection);
  const respond = (ask: Ask, reply: (answer: Answer) => void): void => {
    if (ask === 'check') writers.check(reply);
    else if (ask === 'close') {
      writers.close();
      connection.close();
      parentPort?.close();
    } else if ('transaction' in ask) writers.transact(ask, reply);
    else writers.perform(() => perform(connection, ask), reply);
  };
  parentPort?.on('message', ({ id, ask }: Request) => respond(ask, (answer) => send(id, answer)));
};

const data: ThreadData = workerData;
if ('checkpointed' in data) serveCheckpoints(data.checkpointed);
else
  openConnection(data, data.code).then(
    (connection) => {
      serve(connection);
      send(OPENED, {});
    },
    (cause: unknown) => send(OPENED, toFailure(cause, false)),
  );

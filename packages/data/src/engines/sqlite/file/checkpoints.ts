import { parentPort, Worker } from 'node:worker_threads';
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { RESOURCES, type ThreadData } from '../protocol.ts';
import { LOG_BYTES, openExisting, sizeOf } from './disk.ts';
import { askPragma } from './schema.ts';

/**
 * Writes (and checks, which write too) between two checkpoints, unless the log is long before. A page that many of them
 * changed is then moved into the file once.
 */
const CHECKPOINT_EVERY = 2000;

/**
 * Moves commits from the log into the file, blocks no reader, and leaves what readers still need. A failure is ignored
 * here: the next commit meets it too, and reports it.
 */
const checkpoint = (database: Database): void => {
  try {
    askPragma(database, 'wal_checkpoint(PASSIVE)');
  } catch {}
};

/** Makes a checkpoint of a file for each message, until a message ends it. Runs in a separate thread. */
export const serveCheckpoints = (path: string): void => {
  const database = openExisting(path);
  parentPort?.on('message', (isOver: boolean) => {
    if (!isOver) {
      checkpoint(database);
      return parentPort?.postMessage(undefined);
    }
    database.close();
    parentPort?.close();
  });
};

/**
 * Keeps the log of a file short, beside a writer, who would wait for checkpoints otherwise. Another thread makes them,
 * except of commits made meanwhile: only if all of the log is in the file, the next commit restarts the log. If the
 * thread ends or answers late, the writer makes the checkpoint.
 */
export const careForLog = (database: Database, path: string, code: string) => {
  const log = `${database.location()}-wal`; // beside the file itself, even if the path is a link to it
  let written = 0;
  let worker: Worker | undefined;
  let progress: 'none' | 'asked' | 'made' = 'none';
  const noteMade = (): void => {
    progress = 'made';
  };

  const ask = (): void => {
    if (!worker) {
      const workerData: ThreadData = { checkpointed: path };
      worker = new Worker(new URL(code), { workerData, resourceLimits: RESOURCES });
      worker.unref();
      worker.on('message', noteMade);
      worker.on('error', noteMade); // by the writer this time
      worker.on('exit', () => {
        worker = undefined;
      });
    }
    progress = 'asked';
    worker.postMessage(false);
  };

  return {
    noteWrites(count: number): void {
      written += count;
    },
    /** Makes or begins a checkpoint if one is due. */
    tidy(): void {
      if (written === 0 || database.isTransaction) return;
      const length = sizeOf(log);
      if (progress === 'made' || length > LOG_BYTES) {
        written = 0;
        if (progress === 'made') progress = 'none';
        checkpoint(database);
      } else if (written >= CHECKPOINT_EVERY && progress === 'none') ask();
    },
    /** Ends the thread, which the thread of the writer waits for. */
    close(): void {
      worker?.ref();
      worker?.postMessage(true);
    },
  };
};

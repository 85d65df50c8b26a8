import { parentPort, Worker } from 'node:worker_threads';
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { openExisting } from './disk.ts';
import { askPragma } from './schema.ts';

/** Moves commits from the log into the file. A failure is ignored here: the next commit meets it too, and reports it. */
export const checkpoint = (database: Database, mode: 'PASSIVE' | 'TRUNCATE'): void => {
  try {
    askPragma(database, `wal_checkpoint(${mode})`);
  } catch {}
};

/** The start data of a thread that makes checkpoints. */
export interface Checkpointing {
  readonly checkpointed: string;
}

/** Makes a checkpoint of a file for each message, until a message ends it. Runs in a separate thread. */
export const serveCheckpoints = ({ checkpointed }: Checkpointing): void => {
  const database = openExisting(checkpointed);
  parentPort?.on('message', (isOver: boolean) => {
    if (!isOver) {
      checkpoint(database, 'PASSIVE'); // blocks neither readers nor the writer
      return parentPort?.postMessage(undefined);
    }
    database.close();
    parentPort?.close();
  });
};

/**
 * Makes checkpoints beside a writer, who would wait for them otherwise. The thread starts with the first one. If it ends,
 * the writer makes the checkpoint itself. If it answers late, the log grows until the writer does.
 */
export const createCheckpoints = (checkpointed: string, module: string) => {
  let worker: Worker | undefined;
  let isUnderWay = false;
  let isMade = false;

  const start = (): Worker => {
    const workerData: Checkpointing = { checkpointed };
    const thread = new Worker(new URL(module), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    thread.unref();
    thread.on('message', () => {
      isUnderWay = false;
      isMade = true;
    });
    thread.on('error', () => {});
    thread.on('exit', () => {
      worker = undefined;
      isUnderWay = false;
      isMade = true; // by the writer, who looks after the log itself this time
    });
    return thread;
  };

  return {
    /** Asks for a checkpoint, unless one is under way. */
    ask(): void {
      if (isUnderWay) return;
      isUnderWay = true;
      worker ??= start();
      worker.postMessage(false);
    },
    /** Returns whether a checkpoint was made since the last call: if so, the rest of the log is short. */
    takeMade(): boolean {
      const was = isMade;
      isMade = false;
      return was;
    },
    /** Ends the thread, which the thread of the writer waits for. */
    close(): void {
      worker?.ref();
      worker?.postMessage(true);
    },
  };
};

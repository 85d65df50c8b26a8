import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { startWorker } from './start-worker.ts';

/** How many pages the log has, and how many of them are not in the file yet. */
interface LogState {
  readonly pages: number;
  readonly left: number;
}

/**
 * Makes a checkpoint, which moves commits from the log into the file, or only looks (NOOP), and gives the state of the
 * log afterwards. A failure is ignored here: the next commit meets it too, and reports it.
 */
export const checkpoint = (database: Database, mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): LogState => {
  try {
    const { log, checkpointed } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {};
    if (log === -1 && mode === 'PASSIVE') return checkpoint(database, 'NOOP'); // another process is making one
    return { pages: Number(log), left: Number(log) - Number(checkpointed) };
  } catch {
    return { pages: 0, left: 0 };
  }
};

/** So few pages (8 MiB) move so quickly that the next batch can wait for them. */
export const FEW_PAGES = 2000;

/** How large the file of the log may stay, in bytes: to overwrite it is cheaper than to extend it again. */
const LOG_SIZE = 2 ** 24;

/** About as many pages. */
const LOG_PAGES = 4000;

/** How much of it is truncated at once: a file system may take a second for hundreds of MiB. */
const CUT = 2 ** 23;

/** The least time between two starts of the second thread, in milliseconds. */
const START_EVERY = 1000;

/** The database whose log the second thread moves, and the files that it must be in (see place.ts). */
export interface LogPlace {
  readonly path: string;
  readonly place: string;
}

/**
 * Keeps the log short. A checkpoint cannot move pages that a reader of an older view still needs, so after a long read
 * much is left to move, which may take a second. A second thread does that over a connection of its own while writes go
 * on. The main thread moves the few pages that are added meanwhile: nobody writes during its checkpoint, so it can finish,
 * and only then SQLite restarts the log from the beginning and truncates its file, step by step.
 */
export const createLogKeeper = (database: Database, where: LogPlace) => {
  let { left } = checkpoint(database, 'NOOP'); // left by a process that was killed
  let isFileLong = true; // perhaps
  let mover: Worker | undefined;
  let started = Number.NEGATIVE_INFINITY;

  /** SQLite truncates the file to this limit when it restarts the log. */
  const limitFile = (): void => {
    const size = statSync(`${database.location()}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    isFileLong = size > LOG_SIZE;
    if (isFileLong) database.exec(`PRAGMA journal_size_limit = ${Math.max(LOG_SIZE, size - CUT)}`);
  };

  const startMover = (): void => {
    if (performance.now() < started + START_EVERY) return;
    started = performance.now();
    const worker = startWorker('log-thread', where);
    mover = worker;
    const takeOver = (): void => {
      if (mover !== worker) return;
      mover = undefined;
      left = 0; // or so little that the next batch can wait for it
    };
    worker.once('message', takeOver);
    worker.once('exit', takeOver);
    worker.on('error', () => {}); // its exit follows
  };

  return {
    /** Makes a checkpoint, or leaves a large one to the second thread. */
    tidy(): void {
      if (isFileLong) limitFile();
      if (mover) return;
      if (left > FEW_PAGES) return void startMover();
      const state = checkpoint(database, 'PASSIVE');
      left = state.left;
      isFileLong ||= state.pages > LOG_PAGES;
    },
    /** Ends the second thread after the checkpoint that it is making. */
    close: (): void => mover?.postMessage('close'),
  };
};

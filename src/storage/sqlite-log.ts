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
 * Makes a checkpoint, which moves what is committed from the log into the file, or only looks (NOOP), and tells how that
 * leaves the log. It may fail; whoever commits next is told the same.
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

/** So many pages (8 MiB) move so quickly that the next batch may wait for them. */
export const FEW_PAGES = 2000;

/** How long the file of the log may stay, in bytes: writing to what is there is cheaper than to make it longer. */
const LOG_SIZE = 2 ** 24;

/** As many pages as that has, or a few less. */
const LOG_PAGES = 4000;

/** How much of it is cut off at once: a file system may take a second for hundreds of MiB. */
const CUT = 2 ** 23;

/** The second thread is not started more often than this, in milliseconds. */
const START_EVERY = 1000;

/** The database whose log the second thread moves, and which files it is in. */
export interface LogPlace {
  readonly path: string;
  readonly place: string;
}

/**
 * Keeps the log short. A checkpoint works in one go, and leaves what a reader of an older view still needs: once a long
 * reader has gone, a second may pass until all that has gathered is in the file. A second thread does that, by a
 * connection of its own, while creates go on. The little that is added meanwhile is left to the thread of the store,
 * during whose checkpoint nobody adds more. Only then SQLite starts the log anew, and cuts its file, bit by bit.
 */
export const createLogKeeper = (database: Database, where: LogPlace) => {
  let { left } = checkpoint(database, 'NOOP'); // by a process that was killed
  let isFileLong = true; // perhaps
  let mover: Worker | undefined;
  let started = Number.NEGATIVE_INFINITY;

  /** SQLite cuts the file, to this size and no more, as it starts the log anew. */
  const limitFile = (): void => {
    const size = statSync(`${database.location()}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    isFileLong = size > LOG_SIZE;
    if (isFileLong) database.exec(`PRAGMA journal_size_limit = ${Math.max(LOG_SIZE, size - CUT)}`);
  };

  const startMover = (): void => {
    if (performance.now() < started + START_EVERY) return;
    started = performance.now();
    const worker = startWorker('sqlite-log-thread', where);
    mover = worker;
    const takeOver = (): void => {
      if (mover !== worker) return;
      mover = undefined;
      left = 0; // or so little that the next batch may wait for it
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

import type { Worker } from 'node:worker_threads';
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { startWorker } from './worker.ts';

/**
 * Makes a checkpoint, which moves commits from the log into the file, or only looks (NOOP), and gives how many pages of
 * the log are not in the file yet. A failure is ignored here: the next commit meets it too, and reports it.
 */
export const checkpoint = (database: Database, mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): number => {
  try {
    const { log, checkpointed } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {};
    if (log === -1 && mode === 'PASSIVE') return checkpoint(database, 'NOOP'); // another process is making one
    return Number(log) - Number(checkpointed);
  } catch {
    return 0;
  }
};

/** So few pages (8 MiB) move so quickly that the next batch can wait for them. */
export const FEW_PAGES = 2000;

/** The database whose log the second thread moves, and the files that it must be in (see disk.ts). */
export interface LogFile {
  readonly path: string;
  readonly identity: string;
}

/**
 * Keeps the log short. A checkpoint cannot move pages that a reader of an older view still needs, so after a long read
 * much is left to move, which may take seconds. A second thread does that over a connection of its own while writes go
 * on. This thread moves the few pages that are added meanwhile: nobody writes during its checkpoint, so it can finish,
 * and only then SQLite begins the log anew and truncates its file.
 */
export const createLogKeeper = (database: Database, where: LogFile) => {
  let mover: Worker | undefined;
  const startMover = (): void => {
    mover = startWorker('log-thread', where)
      .on('error', () => {}) // its exit follows
      .once('exit', () => {
        mover = undefined;
        checkpoint(database, 'PASSIVE');
      });
  };
  return {
    /** Makes a checkpoint, or leaves a large one to the second thread. */
    tidy(): void {
      if (mover) return;
      if (checkpoint(database, 'NOOP') > FEW_PAGES) startMover();
      else checkpoint(database, 'PASSIVE');
    },
    /** Ends the second thread after the checkpoint that it is making. */
    close: (): void => mover?.postMessage('close'),
  };
};

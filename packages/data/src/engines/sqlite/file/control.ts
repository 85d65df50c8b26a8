import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { reasonOf } from '../errors.ts';
import { PATIENCE } from './disk.ts';

/**
 * How long SQLite itself waits for another writer, in milliseconds: it sleeps for 1, then for 2. Left to itself it would
 * sleep for up to 100 at a time, and processes that write without a pause would overtake it again and again: with four of
 * them the slowest of 64 clients waited for 1.2 s, and for 0.5 s like this.
 */
export const NAP = 3;

/** Prepares the statements that begin and end the transactions of a database. */
export const prepareControl = (database: Database) => {
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  const [save, release] = [database.prepare('SAVEPOINT shared'), database.prepare('RELEASE shared')];
  return {
    /** Begins a transaction that writes, once no other process has one. Throws if that takes too long. */
    begin(): void {
      const deadline = performance.now() + PATIENCE;
      while (!database.isTransaction)
        try {
          begin.run();
        } catch (error) {
          if (reasonOf(error) !== 'busy' || performance.now() > deadline) throw error;
        }
    },
    commit: (): void => void commit.run(),
    save: (): void => void save.run(),
    release: (): void => void release.run(),
    undo: (): void => database.exec('ROLLBACK TO shared; RELEASE shared'),
  };
};

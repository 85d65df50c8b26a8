import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { reasonOf } from '../errors.ts';
import { PATIENCE } from './disk.ts';

/**
 * How long SQLite itself waits for another writer, in milliseconds: it sleeps for 1, then for 2. Left to itself it would
 * sleep for up to 100 at a time, and processes that write without a pause would overtake it again and again: with four of
 * them the slowest of 64 clients waited for 1.2 s, and for 0.5 s like this.
 */
export const NAP = 3;

/** Prepares what begins and ends the transactions that write to a database. */
export const prepareControl = (database: Database) => {
  const [begin, end] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  const [save, release] = [database.prepare('SAVEPOINT shared'), database.prepare('RELEASE shared')];

  /** Begins a transaction, unless one is open, once no other process has one. Throws if that takes too long. */
  const start = (): void => {
    const deadline = performance.now() + PATIENCE;
    while (!database.isTransaction)
      try {
        begin.run();
      } catch (error) {
        if (reasonOf(error) !== 'busy' || performance.now() > deadline) throw error;
      }
  };
  const rollback = (): void => {
    if (database.isTransaction) database.exec('ROLLBACK'); // SQLite may have done so by itself
  };
  return {
    commit: (): void => void end.run(),
    rollback,
    /** Does work in a transaction. */
    transact<T>(work: () => T): T {
      try {
        start();
        const result = work();
        end.run();
        return result;
      } catch (error) {
        rollback();
        throw error;
      }
    },
    /** Begins a savepoint, in the open transaction or in a new one. */
    beginSavepoint(): void {
      start();
      save.run();
    },
    /** Ends the savepoint: keeps its writes for the commit, or rolls them back. */
    endSavepoint(isKept: boolean): void {
      try {
        if (isKept) release.run();
        else database.exec('ROLLBACK TO shared; RELEASE shared');
      } catch {
        rollback(); // all of the transaction: an earlier failure has ended it, or this one does
      }
    },
  };
};

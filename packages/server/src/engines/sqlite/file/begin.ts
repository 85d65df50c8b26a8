import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { reasonOf } from '../errors.ts';
import { PATIENCE } from './disk.ts';

/**
 * How long SQLite itself waits for another writer, in milliseconds: it sleeps for 1, then for 2. Left to itself it would
 * sleep for up to 100 at a time, and processes that write without a pause would overtake it again and again: with four of
 * them the slowest of 64 clients waited for 1.2 s, and for 0.5 s like this.
 */
const NAP = 3;

/** Begins a transaction that writes, once no other process has one. Throws if that takes too long. */
export const beginWriting = (database: Database): void => {
  const deadline = performance.now() + PATIENCE;
  database.exec(`PRAGMA busy_timeout = ${NAP}`);
  try {
    while (!database.isTransaction)
      try {
        database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (reasonOf(error) !== 'busy' || performance.now() > deadline) throw error;
      }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
  }
};

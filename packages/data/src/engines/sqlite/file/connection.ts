import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { isFault, reasonOf, toFailure } from '../errors.ts';
import {
  IN_MEMORY,
  type Opening,
  type RunResult,
  type Runs,
  type Statement,
  type Value,
} from '../protocol.ts';
import { careForLog } from './checkpoints.ts';
import { copyInto, openDatabase, tryToWrite } from './database.ts';
import { PATIENCE } from './disk.ts';
import { prepareStatements, type RunStatement } from './statements.ts';

/**
 * How long SQLite itself waits for another writer, in milliseconds: it sleeps for 1, then for 2. Left to itself it would
 * sleep for up to 100 at a time, and processes that write without a pause would overtake it again and again: with four of
 * them the slowest of 64 clients waited for 1.2 s, and for 0.5 s like this.
 */
const NAP = 3;

/** Prepares what begins and ends the transactions that write to a database. */
const prepareControl = (database: Database) => {
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

/** Runs statements with lists of values, in one array that is used again for the next. */
const runEach = (batch: readonly Runs[], run: RunStatement): RunResult[] => {
  const results: RunResult[] = [];
  for (const { sql, count, columns } of batch) {
    const values: Value[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const [place, column] of columns.entries()) values[place] = column[index] ?? null;
      results.push(run(sql, values));
    }
  }
  return results;
};

/** Runs statements. If a failure passes `isOwn`, the other statements go unharmed. */
const runAll = (
  batch: readonly Runs[],
  runStatement: RunStatement,
  isOwn: (error: unknown) => boolean,
): RunResult[] =>
  runEach(batch, (sql, values) => {
    try {
      return runStatement(sql, values);
    } catch (error) {
      if (!isOwn(error)) throw error;
      return toFailure(error, true);
    }
  });

/**
 * Opens a file for the thread that runs statements on it. A batch is one transaction and one fsync: with
 * `synchronous=FULL` a commit in WAL mode survives power loss. Statements see each other's rows inside the transaction,
 * so all processes on one file agree.
 */
export const openConnection = async ({ path, schema, options }: Opening, code: string) => {
  const { isReader = false, mustExist = isReader, bulk = false } = options;
  const database = await openDatabase(path, schema, { mustExist, bulk });
  database.exec(isReader ? 'PRAGMA query_only = ON' : `PRAGMA busy_timeout = ${NAP}`);
  const { commit, transact, ...control } = prepareControl(database);
  const runStatement = prepareStatements(database);
  const log = bulk || path === IN_MEMORY ? undefined : careForLog(database, path, code);

  /** A failed statement has changed nothing, and the transaction continues, unless SQLite has ended it. */
  const isOfWrite = (error: unknown): boolean => isFault(error) && database.isTransaction;
  const runAlone = (sql: string, values: readonly Value[]): RunResult => {
    try {
      return transact(() => runStatement(sql, values));
    } catch (error) {
      return toFailure(error);
    }
  };

  return {
    ...control,
    run: ({ sql, values }: Statement): RunResult => runStatement(sql, values),
    isTransaction: () => database.isTransaction,
    /** Commits a number of transactions that share the commit. */
    commit(count: number): void {
      commit();
      log?.noteWrites(count);
    },
    /** Runs statements in one transaction. If a statement makes the commit fail, each is tried alone. */
    write(batch: readonly Runs[]): RunResult[] {
      try {
        const results = transact(() => runAll(batch, runStatement, isOfWrite));
        log?.noteWrites(results.length);
        return results;
      } catch (error) {
        if (!isFault(error)) throw error;
        return runEach(batch, runAlone);
      }
    },
    /** Runs statements that only read, each by itself. */
    find: (batch: readonly Runs[]): RunResult[] => runAll(batch, runStatement, isFault),
    /** Writes, unless a transaction is open: then no other process has the lock, and the disk is known to answer. */
    check(): void {
      if (database.isTransaction) return;
      transact(() => tryToWrite(database));
      log?.noteWrites(1);
    },
    /** Keeps the log short. Called after answers are sent. */
    tidy: (): void => log?.tidy(),
    copyInto: (file: string, count: string): number => copyInto(database, file, count),
    close(): void {
      log?.close();
      database.close();
    },
  };
};

/** A file that is open, on its thread. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

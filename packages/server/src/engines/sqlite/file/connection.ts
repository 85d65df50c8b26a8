import { fileLost, isFault, isReadOnly, toFailure } from '../errors.ts';
import {
  type Answer,
  IN_MEMORY,
  type Opening,
  type Statement,
  type Value,
  type Writes,
} from '../protocol.ts';
import { beginWriting } from './begin.ts';
import { checkpoint, createCheckpoints } from './checkpoints.ts';
import { copyInto, LOG_BYTES, openDatabase, tryToWrite } from './database.ts';
import { watchForRemoval, watchIdentity, watchLogSize } from './disk.ts';
import { prepareStatements } from './statements.ts';

/**
 * Writes (and checks, which write too) between two checkpoints, unless the log is long before. A page that many of them
 * changed is then moved into the file once.
 */
const CHECKPOINT_EVERY = 2000;

const lengthOf = (row: object): number => {
  let length = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length;
  return length;
};

const isStatement = (work: Writes | Statement): work is Statement => 'sql' in work;

/**
 * Opens a file for the thread that runs statements on it. A batch is one transaction and one fsync: with
 * `synchronous=FULL` a commit in WAL mode survives power loss. Statements see each other's rows inside the transaction,
 * so all processes on one file agree.
 */
export const openConnection = async ({ path, schema, options }: Opening, module: string) => {
  const { isReader = false, mustExist = isReader, bulk = false } = options;
  const database = await openDatabase(path, schema, { mustExist, bulk });
  if (isReader) database.exec('PRAGMA query_only = ON');
  const { statementOf, attemptOf, run } = prepareStatements(database);
  const logSize = watchLogSize(database);
  const checkpoints = createCheckpoints(path, module);
  const identify = watchIdentity(database, path);
  const identity = identify();
  const isSameFile = () => identify() === identity;
  const removeLeftLog = watchForRemoval(database);
  let written = 0;

  /** Checked after the commit: if the file is removed later, acknowledged rows go with it, as they would at any time. */
  const checkFile = (): void => {
    if (!isSameFile()) throw fileLost(path);
  };
  const commit = (count = 1): void => {
    database.exec('COMMIT');
    written += count;
    checkFile();
  };
  const rollback = (): void => {
    if (database.isTransaction) database.exec('ROLLBACK'); // SQLite may have done so by itself
  };
  const transact = <T>(work: () => T): T => {
    try {
      beginWriting(database);
      const result = work();
      commit();
      return result;
    } catch (error) {
      rollback();
      throw error;
    }
  };

  const writeAll = ({ attempts, count, columns }: Writes): number[] => {
    const prepared = attempts.map(attemptOf);
    const values: Value[] = []; // one array for all of them: this is done for every row
    const isHit = (attempt: (values: readonly Value[]) => boolean) => attempt(values);
    const results: number[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const [place, column] of columns.entries()) values[place] = column[index] ?? null;
      results.push(prepared.findIndex(isHit));
    }
    return results;
  };
  /** A statement that fails has changed nothing, and the transaction goes on, unless SQLite has ended it. */
  const tryToRun = (statement: Statement): Answer => {
    try {
      return run(statement);
    } catch (error) {
      if (!isFault(error) || !database.isTransaction) throw error;
      return toFailure(error);
    }
  };
  const tryToFind = (statement: Statement): Answer => {
    try {
      return run(statement);
    } catch (error) {
      if (!isFault(error) && !isReadOnly(error)) throw error;
      return toFailure(error, true);
    }
  };
  const writeAlone = (statement: Statement): Answer => {
    try {
      return transact(() => run(statement));
    } catch (error) {
      return toFailure(error);
    }
  };

  return {
    run,
    /** Begins a savepoint, in the open transaction or in a new one. */
    beginSavepoint(): void {
      if (!database.isTransaction) beginWriting(database);
      database.exec('SAVEPOINT shared');
    },
    /** Ends the savepoint: keeps its writes for the commit, or rolls them back. */
    endSavepoint(isKept: boolean): void {
      try {
        database.exec(isKept ? 'RELEASE shared' : 'ROLLBACK TO shared; RELEASE shared');
      } catch {
        rollback(); // all of the transaction: an earlier failure has ended it, or this one does
      }
    },
    isTransaction: () => database.isTransaction,
    commit,
    rollback,
    /** Gives the results of an answer. If a statement makes the commit fail, each one is tried by itself. */
    write(batch: readonly (Writes | Statement)[]): (number | Answer)[] {
      try {
        const results = transact(() =>
          batch.flatMap<number | Answer>((work) => (isStatement(work) ? tryToRun(work) : writeAll(work))),
        );
        written += results.length;
        return results;
      } catch (error) {
        if (!isFault(error) || !batch.every(isStatement)) throw error;
        return batch.map(writeAlone);
      }
    },
    /** Runs statements that only read, each by itself. */
    find(statements: readonly Statement[]): Answer[] {
      if (!isReader) database.exec('PRAGMA query_only = ON');
      try {
        return statements.map(tryToFind);
      } finally {
        if (isReader) checkFile();
        else database.exec('PRAGMA query_only = OFF');
      }
    },
    read(sql: string, values: readonly Value[], characters: number): unknown[] {
      const rows: unknown[] = [];
      let length = 0;
      for (const row of statementOf(sql).iterate(...values)) {
        rows.push(row);
        length += lengthOf(row);
        if (length >= characters) break;
      }
      return rows;
    },
    /**
     * Sees to checkpoints. Called after the answers are sent. Another thread makes them, except for what is committed
     * meanwhile: only if all of the log is in the file, the next commit begins the log anew.
     */
    tidy(): void {
      if (written === 0 || bulk || database.isTransaction) return;
      if (checkpoints.takeMade() || logSize() > LOG_BYTES) {
        written = 0;
        checkpoint(database, 'PASSIVE'); // blocks no reader, and leaves what readers still need
      } else if (written >= CHECKPOINT_EVERY && path !== IN_MEMORY) checkpoints.ask();
    },
    /** Writes, unless somebody's transaction is open: then others have no lock, and the disk is known to answer. */
    check(): void {
      if (database.isTransaction) checkFile();
      else transact(() => tryToWrite(database));
    },
    copyInto: (file: string, count: string): number => copyInto(database, file, count),
    isSameFile,
    close(): void {
      checkpoints.close();
      if (!isSameFile()) {
        checkpoint(database, 'TRUNCATE'); // the log belongs to the file that was removed
        removeLeftLog();
      }
      database.close();
    },
  };
};

/** A file that is open, on its thread. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

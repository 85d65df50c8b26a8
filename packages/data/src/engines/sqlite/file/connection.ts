import { fileLost, isFault, isReadOnly, toFailure } from '../errors.ts';
import { IN_MEMORY, type Opening, type RunResult, type Runs, type Statement } from '../protocol.ts';
import { mapRuns } from '../runs.ts';
import { checkpoint, createCheckpoints } from './checkpoints.ts';
import { NAP, prepareControl } from './control.ts';
import { copyInto, LOG_BYTES, openDatabase, tryToWrite } from './database.ts';
import { watchForRemoval, watchIdentity, watchLogSize } from './disk.ts';
import { prepareStatements } from './statements.ts';

/**
 * Writes (and checks, which write too) between two checkpoints, unless the log is long before. A page that many of them
 * changed is then moved into the file once.
 */
const CHECKPOINT_EVERY = 2000;

/**
 * Opens a file for the thread that runs statements on it. A batch is one transaction and one fsync: with
 * `synchronous=FULL` a commit in WAL mode survives power loss. Statements see each other's rows inside the transaction,
 * so all processes on one file agree.
 */
export const openConnection = async ({ path, schema, options }: Opening, module: string) => {
  const { isReader = false, mustExist = isReader, bulk = false } = options;
  const database = await openDatabase(path, schema, { mustExist, bulk });
  database.exec(isReader ? 'PRAGMA query_only = ON' : `PRAGMA busy_timeout = ${NAP}`);
  const control = prepareControl(database);
  const runOf = prepareStatements(database);
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
    control.commit();
    written += count;
    checkFile();
  };
  const rollback = (): void => {
    if (database.isTransaction) database.exec('ROLLBACK'); // SQLite may have done so by itself
  };
  const transact = <T>(work: () => T): T => {
    try {
      control.begin();
      const result = work();
      commit();
      return result;
    } catch (error) {
      rollback();
      throw error;
    }
  };

  /** Runs each statement. If a failure passes `isOwn`, the other statements go unharmed. */
  const runEach = (runs: Runs, isOwn: (error: unknown) => boolean): RunResult[] =>
    mapRuns(runs, (values) => {
      try {
        return runOf(runs.sql)(values);
      } catch (error) {
        if (!isOwn(error)) throw error;
        return toFailure(error, true);
      }
    });
  const runAlone = (runs: Runs): RunResult[] =>
    mapRuns(runs, (values) => {
      try {
        return transact(() => runOf(runs.sql)(values));
      } catch (error) {
        return toFailure(error);
      }
    });
  /** A failed statement has changed nothing, and the transaction continues, unless SQLite has ended it. */
  const isOfWrite = (error: unknown): boolean => isFault(error) && database.isTransaction;
  const isOfRead = (error: unknown): boolean => isFault(error) || isReadOnly(error);

  return {
    run: ({ sql, values }: Statement): RunResult => runOf(sql)(values),
    /** Begins a savepoint, in the open transaction or in a new one. */
    beginSavepoint(): void {
      control.begin();
      control.save();
    },
    /** Ends the savepoint: keeps its writes for the commit, or rolls them back. */
    endSavepoint(isKept: boolean): void {
      try {
        if (isKept) control.release();
        else control.undo();
      } catch {
        rollback(); // all of the transaction: an earlier failure has ended it, or this one does
      }
    },
    isTransaction: () => database.isTransaction,
    commit,
    rollback,
    /** Runs statements in one transaction. If a statement makes the commit fail, each is tried alone. */
    write(batch: readonly Runs[]): RunResult[] {
      try {
        const results = transact(() => batch.flatMap((runs) => runEach(runs, isOfWrite)));
        written += results.length;
        return results;
      } catch (error) {
        if (!isFault(error)) throw error;
        return batch.flatMap(runAlone);
      }
    },
    /** Runs statements that only read, each by itself. */
    find(batch: readonly Runs[]): RunResult[] {
      if (!isReader) database.exec('PRAGMA query_only = ON');
      try {
        return batch.flatMap((runs) => runEach(runs, isOfRead));
      } finally {
        if (isReader) checkFile();
        else database.exec('PRAGMA query_only = OFF');
      }
    },
    /**
     * Starts a checkpoint if one is due. Called after the answers are sent. Another thread makes checkpoints, except of
     * commits made meanwhile: only if all of the log is in the file, the next commit restarts the log.
     */
    tidy(): void {
      if (written === 0 || bulk || database.isTransaction) return;
      if (checkpoints.takeMade() || logSize() > LOG_BYTES) {
        written = 0;
        checkpoint(database, 'PASSIVE'); // blocks no reader, and leaves what readers still need
      } else if (written >= CHECKPOINT_EVERY && path !== IN_MEMORY) checkpoints.ask();
    },
    /** Writes, unless a transaction is open: then no other process has the lock, and the disk is known to answer. */
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

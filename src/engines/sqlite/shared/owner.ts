import { StoreUnavailable } from '../../errors.ts';
import { type CommitObserver, createGroupCommit } from '../../group-commit.ts';
import type { SqliteSchema } from '../file.ts';
import { openLastingThread, type Runner } from '../lasting-thread.ts';
import type { Answer, Ask, Writes } from '../thread.ts';
import type { OwnerAsk } from './owned-file.ts';

/** How long a batch may take, in milliseconds: longer than other programs may keep the file locked. */
const TIMEOUT = 10_000;

type Batch = readonly Writes[];

const countRows = (batch: Batch): number => batch.reduce((sum, { count }) => sum + count, 0);

/** Opens a file. Batches that processes send at the same time share a transaction. */
const openFile = async (path: string, schema: SqliteSchema, observer?: CommitObserver): Promise<Runner> => {
  const thread = await openLastingThread({ path, schema, options: {} }, TIMEOUT);

  const commit = async (batches: readonly Batch[]): Promise<Answer<never>[]> => {
    const { hits = [], failure } = await thread.ask<never>({ write: batches.flat() });
    if (failure) throw new StoreUnavailable(failure.reason, { cause: failure.cause });
    let done = 0;
    return batches.map((batch) => {
      const start = done;
      done += countRows(batch);
      return { hits: hits.slice(start, done) };
    });
  };
  const { submit, drain } = createGroupCommit(commit, {}, observer, countRows);

  const write = (batch: Batch): Promise<Answer<never>> =>
    submit(batch).catch((error: unknown) => ({
      failure:
        error instanceof StoreUnavailable
          ? { reason: error.reason, cause: error.cause }
          : { reason: 'failing', cause: error },
    }));

  return {
    ask: <Row>(what: Ask): Promise<Answer<Row>> =>
      typeof what === 'object' && 'write' in what ? write(what.write) : thread.ask(what),
    async close() {
      await drain();
      await thread.close();
    },
  };
};

/** Owns SQLite files for several processes: one fsync serves all of them, and none waits for the lock of another. */
export const createSqliteOwner = (observer?: CommitObserver) => {
  const files = new Map<string, Promise<Runner>>();

  const open = async (path: string, schema: SqliteSchema): Promise<Answer> => {
    const opened = files.get(path) ?? openFile(path, schema, observer);
    files.set(path, opened);
    opened.catch(() => files.delete(path)); // the next process may be luckier
    await opened;
    return {};
  };

  return {
    async answer(what: OwnerAsk): Promise<Answer> {
      if ('open' in what) return open(what.path, what.open);
      const file = await files.get(what.path);
      if (!file) throw new Error(`${what.path} is not open`);
      return file.ask(what.ask);
    },
    /** Finishes what was accepted, then releases the files. */
    async close(): Promise<void> {
      for (const opened of files.values()) await (await opened).close();
    },
  };
};

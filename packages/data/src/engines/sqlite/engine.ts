import type { OpenOptions, SqlEngine } from '../engine.ts';
import { StoreUnavailable } from '../errors.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { Schema } from '../schema.ts';
import { toError } from './errors.ts';
import { type Ask, IN_MEMORY, type RunResult, type Statement } from './protocol.ts';
import { createTransactions } from './transactions.ts';
import { toResult, toRuns, toStatement } from './values.ts';
import { createReader, type Runner, startThread } from './worker.ts';

/** The timeout of a batch, in milliseconds: longer than others may keep the file locked. */
const TIMEOUT = 10_000;

/** The same for bulk writes: their batches are large, and may wait for a checkpoint on a slow disk. */
const BULK_TIMEOUT = 120_000;

/** How a file is opened. */
export interface SqliteOptions extends OpenOptions {
  /** How long a batch may take, in milliseconds. */
  readonly timeout?: number;
}

/** For one caller that writes very many rows and limits by itself how many wait. */
const BULK = { maxBatch: 8192, maxWaiting: Number.POSITIVE_INFINITY };

/** Statements that read reach their thread together, which takes half the time, but are few, since all wait for the slowest. */
const READS = { maxBatch: 16 };

const askAll = async (runner: Runner, what: Ask): Promise<readonly RunResult<never>[]> => {
  const { failure, results = [] } = await runner.ask<never>(what);
  if (failure) throw toError(failure);
  return results;
};

/**
 * Opens a file for statements of every kind, on separate threads: a slow disk does not block the event loop. Statements
 * that write run on one thread; statements that only read run on a second one, which starts with the first of them. The
 * path `:memory:` opens a database that ends with the engine; there reads wait for transactions.
 */
export const openSqlite = async (
  path: string,
  schema: Schema,
  { mustExist = false, bulk = false, observer, timeout = bulk ? BULK_TIMEOUT : TIMEOUT }: SqliteOptions,
): Promise<SqlEngine> => {
  const writer: Runner = await startThread({ path, schema, options: { mustExist, bulk } }, timeout);
  const reader =
    path === IN_MEMORY
      ? { ...writer, async close() {} }
      : createReader({ path, schema, options: { isReader: true } }, timeout);
  const writes = createGroupCommit(
    (statements: readonly Statement[]) => askAll(writer, { write: toRuns(statements) }),
    bulk ? BULK : {},
    observer,
  );
  const reads = createGroupCommit(
    (statements: readonly Statement[]) => askAll(reader, { find: toRuns(statements) }),
    READS,
  );
  const transactions = createTransactions(writer, observer);

  return {
    read: async (statement) => toResult(await reads.submit(toStatement(statement))),
    run: async (statement) => toResult(await writes.submit(toStatement(statement))),
    begin: transactions.begin,
    isRetryable: (error) => error instanceof StoreUnavailable && error.reason === 'busy', // before anything was written
    check: async () => (await writer.ask('check')).failure?.reason,
    async close() {
      await Promise.all([writes.drain(), reads.drain(), transactions.drain()]);
      await reader.close();
      await writer.close();
    },
  };
};

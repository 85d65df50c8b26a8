import { StoreUnavailable } from '../errors.ts';
import { BULK, createGroupCommit } from '../group-commit.ts';
import type { OpenOptions } from '../options.ts';
import type { SqlEngine } from '../sql.ts';
import type { Runner } from './conversation.ts';
import { toError } from './errors.ts';
import type { Ask, RunResult, Statement } from './protocol.ts';
import { toRuns } from './runs.ts';
import { createTransactions } from './transactions.ts';
import { toResult, toStatement } from './values.ts';

/** Statements that read reach their thread together, which takes half the time, but are few, since all wait for the slowest. */
const READS = { maxBatch: 16 };

/** Creates an engine that sends statements to two runners: one writes to the file, one reads from it. */
export const createSqlEngine = (
  writer: Runner,
  reader: Runner,
  { bulk = false, observer }: Pick<OpenOptions, 'bulk' | 'observer'>,
): SqlEngine => {
  const askAll = async (runner: Runner, what: Ask): Promise<readonly RunResult<never>[]> => {
    const { failure, results = [] } = await runner.ask<never>(what);
    if (failure) throw toError(failure);
    return results;
  };
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

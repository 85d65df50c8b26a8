import { StoreUnavailable } from '../errors.ts';
import { BULK, createGroupCommit } from '../group-commit.ts';
import type { OpenOptions } from '../options.ts';
import type { SqlEngine, SqlStatement } from '../sql.ts';
import type { Runner } from './conversation.ts';
import { toUnavailable } from './errors.ts';
import type { Answer, Statement } from './protocol.ts';
import { createTransactions } from './transactions.ts';
import { toResult, toStatement } from './values.ts';

/** Creates an engine on whoever writes to a file, and whoever reads from it. */
export const createSqlEngine = (
  writer: Runner,
  reader: Runner,
  { bulk = false, observer }: Pick<OpenOptions, 'bulk' | 'observer'>,
): SqlEngine => {
  const { submit, drain } = createGroupCommit(
    async (write: readonly Statement[]) => {
      const { failure, results = [] } = await writer.ask<Answer<never>>({ write });
      if (failure) throw toUnavailable(failure);
      return results;
    },
    bulk ? BULK : {},
    observer,
  );
  const transactions = createTransactions(writer, observer);

  return {
    read: async <Row>(statement: SqlStatement) =>
      toResult(await reader.ask<Row>({ find: toStatement(statement) })),
    run: async (statement) => toResult(await submit(toStatement(statement))),
    begin: transactions.begin,
    isRetryable: (error) => error instanceof StoreUnavailable && error.reason === 'busy', // before anything was written
    check: async () => (await writer.ask('check')).failure?.reason,
    async close() {
      await Promise.all([drain(), transactions.drain()]);
      await reader.close();
      await writer.close();
    },
  };
};

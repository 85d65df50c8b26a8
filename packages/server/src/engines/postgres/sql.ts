import { StoreOverloaded } from '../errors.ts';
import type { HeldLock } from '../lock.ts';
import { observeAlone } from '../observer.ts';
import type { OpenOptions, PostgresLimits } from '../options.ts';
import { retry } from '../retry.ts';
import { createSlots } from '../slots.ts';
import type { SqlEngine, SqlResult, SqlStatement, SqlTransaction, TransactionOptions } from '../sql.ts';
import { beginTransaction } from './begin.ts';
import { checkTables, chooseFrame } from './durability.ts';
import { isTransient, toSqlError, toUnavailable } from './errors.ts';
import { keyOf, takeLock } from './lock.ts';
import type { PostgresSteps } from './migrate.ts';
import { createPool } from './pool.ts';
import { createPreparation, prepareSchema } from './prepare.ts';
import { toQuery, toResult } from './transaction.ts';
import { TYPES } from './values.ts';

/** How long transient failures are retried, in milliseconds. */
const RETRY_WITHIN = 1000;

/** How many transactions, and how many reads, may wait for a connection. */
const MAX_WAITING = 8192;

/** Runs statements on a PostgreSQL, which any number of services can share. */
export interface PostgresSql extends SqlEngine {
  lock(name: string, signal: AbortSignal): Promise<HeldLock>;
}

/**
 * Opens a database, with its schema up to date, for statements of any kind. A write takes three round trips: BEGIN, the
 * statement, COMMIT. PostgreSQL itself flushes commits together that are made at the same time. Transactions leave one
 * connection of the pool to reads, unless it has only one.
 */
export const openPostgresSql = async (
  url: string,
  limits: PostgresLimits,
  schema: PostgresSteps,
  { mustExist = false, observer, mayBeUnavailable = false }: OpenOptions = {},
): Promise<PostgresSql> => {
  const { namespace } = schema;
  const pool = createPool(url, limits, TYPES);
  const slots = createSlots(Math.max(1, limits.poolSize - 1), MAX_WAITING);
  observer?.watchQueue(slots.waiting);
  const retryable = new WeakSet<object>();

  const { prepare, start, withSchema, noteFailure } = createPreparation(pool, async () =>
    chooseFrame(await prepareSchema(pool, schema, mustExist), namespace),
  );

  const begin = ({ timeout }: TransactionOptions): Promise<SqlTransaction> => {
    const times = { transaction: timeout, statement: Math.min(timeout, limits.statementTimeout) };
    return beginTransaction(pool, slots.enter(), prepare, times, (error, isUndone) => {
      noteFailure(error);
      if (isUndone) retryable.add(error);
    });
  };

  const runOnce = async <Row>(statement: SqlStatement): Promise<SqlResult<Row>> => {
    const transaction = await begin({ timeout: limits.statementTimeout });
    try {
      const result = await transaction.run<Row>(statement);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };

  const isRetryable = (error: unknown): boolean =>
    typeof error === 'object' && error !== null && retryable.has(error);

  await start(mayBeUnavailable);

  return {
    async read<Row>(statement: SqlStatement) {
      if (pool.waitingCount >= MAX_WAITING) throw new StoreOverloaded(`${MAX_WAITING} are waiting already`);
      try {
        const query = toQuery(statement);
        return await retry(() => withSchema(async () => toResult<Row>(await pool.query(query))), {
          isTransient,
          within: RETRY_WITHIN,
        });
      } catch (error) {
        throw toSqlError(error);
      }
    },
    run: (statement) =>
      observeAlone(observer, () =>
        retry(() => runOnce(statement), { isTransient: isRetryable, within: RETRY_WITHIN }),
      ),
    async begin(options) {
      const transaction = await begin(options);
      return { ...transaction, commit: () => observeAlone(observer, transaction.commit) };
    },
    isRetryable,
    async check() {
      try {
        await runOnce({ sql: `INSERT INTO ${namespace}_schema (version) SELECT 0 WHERE false`, values: [] });
        await checkTables(pool);
        return undefined;
      } catch (error) {
        return error instanceof StoreOverloaded ? 'busy' : toUnavailable(error).reason;
      }
    },
    async close() {
      await slots.drain();
      await pool.end();
    },
    lock: (name, signal) => takeLock(url, limits.connectTimeout, keyOf(namespace, name), signal),
  };
};

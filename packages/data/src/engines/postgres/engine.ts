import type { OpenOptions, PostgresLimits, SqlEngine, SqlStatement } from '../engine.ts';
import { StoreOverloaded } from '../errors.ts';
import { observeAlone } from '../group-commit.ts';
import { retry } from '../retry.ts';
import type { Schema } from '../schema.ts';
import { createSlots } from '../slots.ts';
import { createBatches } from './batch.ts';
import { checkTables } from './durability.ts';
import { isTransient, toSqlError, toUnavailable } from './errors.ts';
import { keyOf, takeLock } from './lock.ts';
import { createPool } from './pool.ts';
import { createPreparation } from './prepare.ts';
import { beginTransaction, toQuery, toResult } from './transaction.ts';
import { TYPES } from './values.ts';
import { createWrites } from './writes.ts';

/** How long transient failures are retried, in milliseconds. */
const RETRY_WITHIN = 1000;

/** How many transactions, and how many reads, may wait for a connection. */
const MAX_WAITING = 8192;

/**
 * Opens a database, with its schema up to date, for statements of any kind. Any number of services can share it. Single
 * writes with the same text share commits, each of one round trip. What writes leaves one connection of the pool to
 * reads, unless it has only one.
 */
export const openPostgres = async (
  url: string,
  { poolSize, connectTimeout, statementTimeout }: PostgresLimits,
  schema: Schema,
  { mustExist = false, bulk = false, observer, mayBeUnavailable = false }: OpenOptions = {},
): Promise<SqlEngine> => {
  const { namespace } = schema;
  const pool = createPool(url, { poolSize, connectTimeout, statementTimeout }, TYPES);
  const lanes = Math.max(1, poolSize - 1);
  const slots = createSlots(lanes, MAX_WAITING);
  observer?.watchQueue(slots.waiting);
  const preparation = createPreparation(pool, schema, mustExist);
  const { prepare, noteFailure, isRetryable } = preparation;
  const times = { transaction: statementTimeout, statement: statementTimeout };
  const runBatch = createBatches(pool, slots.enter, preparation, times);
  const most = bulk ? Number.POSITIVE_INFINITY : undefined;
  const limits = { lanes, maxWaiting: most ?? MAX_WAITING, patience: most ?? statementTimeout };
  const writes = createWrites(runBatch, isRetryable, limits, observer);
  await preparation.start(mayBeUnavailable);

  const readOnce = async <Row>(statement: SqlStatement) => {
    await prepare();
    return toResult<Row>(await pool.query(toQuery(statement)));
  };
  return {
    async read<Row>(statement: SqlStatement) {
      if (pool.waitingCount >= MAX_WAITING) throw new StoreOverloaded(`${MAX_WAITING} are waiting already`);
      try {
        return await retry(() => readOnce<Row>(statement), { isTransient, within: RETRY_WITHIN });
      } catch (error) {
        throw noteFailure(toSqlError(error));
      }
    },
    run: writes.run,
    async begin({ timeout: transaction }) {
      const within = { transaction, statement: Math.min(transaction, statementTimeout) };
      const begun = await beginTransaction(pool, slots.enter(), preparation, within);
      return { ...begun, commit: () => observeAlone(observer, begun.commit) };
    },
    isRetryable,
    async check() {
      try {
        // Finds a row if nothing may be written; fails without the schema. Needs the same rights as the start.
        const text = `SELECT 1 FROM ${namespace}_schema WHERE current_setting('transaction_read_only') = 'on' LIMIT 1`;
        const [found] = await runBatch([toQuery({ sql: text, values: [] })]);
        await checkTables(pool);
        return found?.rows.length === 0 ? undefined : 'readonly';
      } catch (error) {
        return error instanceof StoreOverloaded ? 'busy' : toUnavailable(error).reason;
      }
    },
    async close() {
      await writes.drain();
      await slots.drain();
      await pool.end();
    },
    lock: (name, signal) => takeLock(url, connectTimeout, keyOf(namespace, name), signal),
  };
};

import type { HeldLock, OpenOptions, PostgresLimits, SqlEngine, SqlStatement } from '../engine.ts';
import { StoreOverloaded } from '../errors.ts';
import { observeAlone } from '../observer.ts';
import { retry } from '../retry.ts';
import { createSlots } from '../slots.ts';
import { beginTransaction } from './begin.ts';
import { checkTables, chooseFrame, isPostgres, readTables } from './durability.ts';
import { isTransient, toSqlError, toUnavailable } from './errors.ts';
import { keyOf, takeLock } from './lock.ts';
import type { PostgresSteps } from './migrate.ts';
import { createPool } from './pool.ts';
import { createPreparation, prepareSchema } from './prepare.ts';
import { type NoteFailure, toQuery, toResult } from './transaction.ts';
import { TYPES } from './values.ts';
import { createBatches } from './writes/batch.ts';
import { createWrites } from './writes/writes.ts';

/** How long transient failures are retried, in milliseconds. */
const RETRY_WITHIN = 1000;

/** How many transactions, and how many reads, may wait for a connection. */
const MAX_WAITING = 8192;

/** Runs statements on a PostgreSQL, which any number of services can share. */
export interface PostgresSql extends SqlEngine {
  lock(name: string, signal: AbortSignal): Promise<HeldLock>;
}

/**
 * Opens a database, with its schema up to date, for statements of any kind. Single writes with the same text share
 * commits, each of one round trip. What writes leaves one connection of the pool to reads, unless it has only one.
 */
export const openPostgres = async (
  url: string,
  limits: PostgresLimits,
  schema: PostgresSteps,
  { mustExist = false, bulk = false, observer, mayBeUnavailable = false }: OpenOptions = {},
): Promise<PostgresSql> => {
  const { namespace } = schema;
  const pool = createPool(url, limits, TYPES);
  const most = Math.max(1, limits.poolSize - 1);
  const slots = createSlots(most, MAX_WAITING);
  observer?.watchQueue(slots.waiting);
  const retryable = new WeakSet<object>();

  const { prepare, start, withSchema, noteFailure } = createPreparation(pool, async () => {
    const settings = await prepareSchema(pool, schema, mustExist);
    return chooseFrame(settings, namespace, isPostgres(settings) ? await readTables(pool) : []);
  });
  const failed: NoteFailure = (error, isUndone) => {
    noteFailure(error);
    if (isUndone) retryable.add(error);
  };

  const isRetryable = (error: unknown): boolean =>
    typeof error === 'object' && error !== null && retryable.has(error);

  const runBatch = createBatches({
    pool,
    enter: slots.enter,
    prepare,
    times: { transaction: limits.statementTimeout, statement: limits.statementTimeout },
    noteFailure: failed,
  });
  /** Finds a row if nothing may be written; fails without the schema. Needs the same rights as the start. */
  const isReadOnly = toQuery({
    sql: `SELECT 1 FROM ${namespace}_schema WHERE current_setting('transaction_read_only') = 'on' LIMIT 1`,
    values: [],
  });
  const writes = createWrites({
    runBatch,
    isRetryable,
    lanes: most,
    maxWaiting: bulk ? Number.POSITIVE_INFINITY : MAX_WAITING,
    patience: bulk ? Number.POSITIVE_INFINITY : limits.statementTimeout,
    observer,
  });

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
    run: (statement) => writes.run(statement),
    async begin({ timeout }) {
      const times = { transaction: timeout, statement: Math.min(timeout, limits.statementTimeout) };
      const transaction = await beginTransaction(pool, slots.enter(), prepare, times, failed);
      return { ...transaction, commit: () => observeAlone(observer, transaction.commit) };
    },
    isRetryable,
    async check() {
      try {
        const [found] = await runBatch([isReadOnly]);
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
    lock: (name, signal) => takeLock(url, limits.connectTimeout, keyOf(namespace, name), signal),
  };
};

import type { Pool } from 'pg';
import type { Schema } from '../schema.ts';
import {
  checkDurability,
  chooseFrame,
  isPostgres,
  readSettings,
  readTables,
  type TransactionFrame,
} from './durability.ts';
import { isForGood, isUndefinedTable, UnfitDatabase } from './errors.ts';
import { migrate } from './migrate.ts';
import { trySettings } from './pool.ts';

/** Brings the schema up to date, or says why the database is unfit to keep it. Gives the SQL of its transactions. */
const prepareSchema = async (pool: Pool, schema: Schema, mustExist: boolean): Promise<TransactionFrame> => {
  const settings = await readSettings(pool);
  const { encoding } = settings;
  if (encoding && !/^utf-?8$/i.test(encoding))
    throw new UnfitDatabase(`DATABASE_URL: the database is in ${encoding}; create it WITH ENCODING 'UTF8'`);
  // A reader promises nothing, and an export may be the way out of an unfit database.
  if (!mustExist) await checkDurability(pool, settings);
  const hasLocks = isPostgres(settings);
  await migrate(pool, schema, { mustExist, hasLocks });
  return chooseFrame(settings, schema.namespace, hasLocks ? await readTables(pool) : []);
};

/** Prepares a schema before it is used, once for all callers, and again after it was found missing. */
export const createPreparation = (pool: Pool, schema: Schema, mustExist: boolean) => {
  const retryable = new WeakSet<object>();
  let prepared: Promise<TransactionFrame> | undefined;
  const prepare = (): Promise<TransactionFrame> => {
    prepared ??= trySettings(pool, () => prepareSchema(pool, schema, mustExist)).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  return {
    prepare,
    /** Prepares at the start. Starts while the database is down; throws what only a person can fix. */
    async start(mayBeUnavailable: boolean): Promise<void> {
      try {
        await prepare();
      } catch (error) {
        if (mayBeUnavailable || !isForGood(error)) return;
        await pool.end();
        if (error instanceof UnfitDatabase) throw error;
        const reason = error instanceof Error ? error.message : error;
        throw new Error(`DATABASE_URL: PostgreSQL cannot be used: ${reason}`, { cause: error });
      }
    },
    /**
     * Notes the failure of a caller, and returns it. `isUndone`: nothing has certainly changed, and another attempt may
     * succeed soon. If the schema was dropped, or the database created anew, the next caller prepares it again.
     */
    noteFailure(error: Error, isUndone = false): Error {
      if (isUndefinedTable(error)) prepared = undefined;
      if (isUndone) retryable.add(error);
      return error;
    },
    isRetryable: (error: unknown): boolean =>
      typeof error === 'object' && error !== null && retryable.has(error),
  };
};

/** The preparation of a schema. */
export type Preparation = ReturnType<typeof createPreparation>;

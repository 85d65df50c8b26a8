import type { Pool } from 'pg';
import { checkDurability, isPostgres, readSettings, type Settings } from './durability.ts';
import { isForGood, isUndefinedTable, UnfitDatabase } from './errors.ts';
import { migrate, type PostgresSteps } from './migrate.ts';
import { trySettings } from './pool.ts';

/** Lets the service start while the database is down; throws what only a person can fix. */
const refuseUnfit = (error: unknown): void => {
  if (error instanceof UnfitDatabase) throw error;
  if (!isForGood(error)) return;
  const reason = error instanceof Error ? error.message : error;
  throw new Error(`DATABASE_URL: PostgreSQL cannot be used: ${reason}`, { cause: error });
};

/** Prepares a schema before it is used, once for all callers, and again after it was found missing. */
export const createPreparation = <Prepared>(pool: Pool, work: () => Promise<Prepared>) => {
  let prepared: Promise<Prepared> | undefined;
  const prepare = (): Promise<Prepared> => {
    prepared ??= trySettings(pool, work).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  /** If the schema was dropped, or the database created anew, the next caller prepares it again. */
  const noteFailure = (error: unknown): void => {
    if (isUndefinedTable(error)) prepared = undefined;
  };
  return {
    prepare,
    noteFailure,
    /** Prepares at the start; throws what only a person can fix, or nothing at all. */
    async start(mayBeUnavailable: boolean): Promise<void> {
      try {
        await prepare().catch(mayBeUnavailable ? () => {} : refuseUnfit);
      } catch (error) {
        await pool.end();
        throw error;
      }
    },
    async withSchema<T>(use: (prepared: Prepared) => Promise<T>): Promise<T> {
      const ready = await prepare();
      try {
        return await use(ready);
      } catch (error) {
        noteFailure(error);
        throw error;
      }
    },
  };
};

/** Throws if the database cannot hold every text. */
const checkEncoding = ({ encoding }: Settings): void => {
  if (encoding && !/^utf-?8$/i.test(encoding))
    throw new UnfitDatabase(`DATABASE_URL: the database is in ${encoding}; create it WITH ENCODING 'UTF8'`);
};

/** Brings the schema up to date, or says why the database is unfit to keep it. Gives the settings of the server. */
export const prepareSchema = async (
  pool: Pool,
  schema: PostgresSteps,
  mustExist: boolean,
): Promise<Settings> => {
  const settings = await readSettings(pool);
  checkEncoding(settings);
  // A reader promises nothing, and an export may be the way out of an unfit database.
  if (!mustExist) await checkDurability(pool, settings);
  await migrate(pool, schema, { mustExist, hasLocks: isPostgres(settings) });
  return settings;
};

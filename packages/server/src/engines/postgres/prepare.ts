import type { Pool } from 'pg';
import { isForGood, isUndefinedTable, UnfitDatabase } from './errors.ts';
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

/** How long the disk counts as full after a write has found it so, in milliseconds. */
const FULL_FOR = 5000;

/** Remembers whether the disk is full. To write nothing takes no room: only a real write can find out. */
export const createFullMemory = () => {
  let fullAt = Number.NEGATIVE_INFINITY;
  return {
    noteFull(): void {
      fullAt = performance.now();
    },
    noteRoom(): void {
      fullAt = Number.NEGATIVE_INFINITY;
    },
    isFull: (): boolean => performance.now() - fullAt < FULL_FOR,
  };
};

import type { NewPlant } from '../plants/plant.ts';
import { type CreateOutcome, type PlantStore, StoreUnavailable } from '../plants/repository.ts';
import { doByHalves } from './by-halves.ts';
import { BULK, createGroupCommit } from './group-commit.ts';
import type { OpenOptions, PostgresLimits } from './options.ts';
import { ENOUGH_CHARACTERS, type ReadPage, readInPages, toNewPlant } from './pages.ts';
import { commitBatch, type PlantOutcome, type Row, tryInsert } from './postgres-batch.ts';
import type { Guards } from './postgres-durability.ts';
import {
  isForGood,
  isOfRow,
  isTransient,
  isUndefinedTable,
  toUnavailable,
  UnfitDatabase,
} from './postgres-errors.ts';
import { createPool, trySettings } from './postgres-pool.ts';
import { prepareSchema } from './postgres-schema.ts';
import { retry } from './retry.ts';

/** How long a batch is tried again after failures that may pass, in milliseconds. */
const RETRY_WITHIN = 1000;

/** How long a disk that was full for a batch is taken to be full still, in milliseconds. */
const FULL_FOR = 5000;

/** Each row with the bytes of those before it. A text has no fewer bytes than characters, and tells them unread. */
const SELECT_FROM = `SELECT id, name, tag FROM (
    SELECT id, name, tag, sum(octet_length(name) + coalesce(octet_length(tag), 0))
      OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT id, name, tag FROM plants WHERE id >= $1::bigint ORDER BY id LIMIT $2) AS page
  ) AS page WHERE coalesce(before, 0) < $3 ORDER BY id`;

const toOutcome = (outcome: PlantOutcome): CreateOutcome => {
  if (outcome instanceof StoreUnavailable) throw outcome;
  return outcome;
};

/** Lets the service start while the database is away; refuses what only a person can mend. */
const refuseUnfit = (error: unknown): void => {
  if (error instanceof UnfitDatabase) throw error;
  if (!isForGood(error)) return;
  const reason = error instanceof Error ? error.message : error;
  throw new Error(`DATABASE_URL: PostgreSQL cannot be used: ${reason}`, { cause: error });
};

/**
 * A store for when one machine is not enough. A batch is one statement, one round trip, one commit; ids that
 * were taken cost a second one, to see who holds them. The database decides, so any number of services agree.
 */
export const openPostgresRepository = async (
  url: string,
  limits: PostgresLimits,
  { mustExist = false, bulk = false, observer }: OpenOptions = {},
): Promise<PlantStore> => {
  const pool = createPool(url, limits);

  let prepared: Promise<Guards> | undefined;
  const prepare = (): Promise<Guards> => {
    prepared ??= trySettings(pool, () => prepareSchema(pool, { mustExist })).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };

  /** A schema that was dropped, or a database made anew, is prepared again by whoever comes next. */
  const withSchema = async <T>(work: (guards: Guards) => Promise<T>): Promise<T> => {
    const guards = await prepare();
    try {
      return await work(guards);
    } catch (error) {
      if (isUndefinedTable(error)) prepared = undefined;
      throw error;
    }
  };

  const patiently = <T>(work: () => Promise<T>): Promise<T> =>
    retry(work, { isTransient, within: RETRY_WITHIN });

  let fullAt = Number.NEGATIVE_INFINITY;
  const commitPatiently = async (plants: readonly NewPlant[]): Promise<readonly PlantOutcome[]> => {
    try {
      const outcomes = await doByHalves(
        plants,
        (some) => patiently(() => withSchema((guards) => commitBatch(pool, some, guards))),
        { isOfItem: isOfRow, toResult: toUnavailable },
      );
      fullAt = Number.NEGATIVE_INFINITY;
      return outcomes;
    } catch (error) {
      const unavailable = toUnavailable(error);
      if (unavailable.reason === 'full') fullAt = performance.now();
      throw unavailable;
    }
  };

  const { submit, drain } = createGroupCommit(
    commitPatiently,
    { ...(bulk && { maxWaiting: BULK.maxWaiting }), lanes: limits.poolSize },
    observer,
  );

  const readPage: ReadPage = (from, count) =>
    patiently(async () => {
      const asked = [`${from}`, count, ENOUGH_CHARACTERS];
      const { rows } = await withSchema(() => pool.query<Row>(SELECT_FROM, asked));
      return rows.map(({ id, name, tag }) => toNewPlant(BigInt(id), name, tag));
    }).catch((error: unknown) => {
      throw toUnavailable(error);
    });

  try {
    await prepare().catch(refuseUnfit);
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    create: (plant) => submit(plant).then(toOutcome),
    async check() {
      try {
        await withSchema((guards) => tryInsert(pool, guards));
        // To insert nothing takes no room: that the disk is full shows in what was really tried.
        return performance.now() - fullAt < FULL_FOR ? 'full' : undefined;
      } catch (error) {
        return toUnavailable(error).reason;
      }
    },
    async close() {
      await drain();
      await pool.end();
    },
    all: () => readInPages(readPage),
  };
};

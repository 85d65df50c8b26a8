import type { NewPlant } from '../plants/plant.ts';
import { type CreateOutcome, type PlantStore, StoreUnavailable } from '../plants/repository.ts';
import { BULK, createGroupCommit } from './group-commit.ts';
import type { OpenOptions, PostgresLimits } from './options.ts';
import { ENOUGH_CHARACTERS, type ReadPage, readInPages, toNewPlant } from './pages.ts';
import { isForGood, isTransient, isUndefinedTable, toUnavailable } from './postgres-errors.ts';
import { createPool, trySettings } from './postgres-pool.ts';
import { prepareSchema, UnfitDatabase } from './postgres-schema.ts';
import { retry } from './retry.ts';

/** How long a batch is tried again after failures that may pass, in milliseconds. */
const RETRY_WITHIN = 1000;

/** How long a disk that was full for a batch is taken to be full still, in milliseconds. */
const FULL_FOR = 5000;

/** No transaction block, no session state, no named statement: it works behind pgbouncer in transaction mode. */
const INSERT = `INSERT INTO plants (id, name, tag)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;
const SELECT = 'SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[])';

/** Each row with the bytes of those before it. A text has no fewer bytes than characters, and tells them unread. */
const SELECT_FROM = `SELECT id, name, tag FROM (
    SELECT id, name, tag, sum(octet_length(name) + coalesce(octet_length(tag), 0))
      OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT id, name, tag FROM plants WHERE id >= $1::bigint ORDER BY id LIMIT $2) AS page
  ) AS page WHERE coalesce(before, 0) < $3 ORDER BY id`;

/** A row as pg gives it: a bigint as its digits. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

const toRow = ({ id, name, tag }: NewPlant): Row => ({ id: `${id}`, name, tag: tag ?? null });

const isSame = (one: Row, other: Row): boolean => one.name === other.name && one.tag === other.tag;

/** The first of each id stands for it. */
const firstOfEachId = (rows: readonly Row[]): Map<string, Row> => {
  const firsts = new Map<string, Row>();
  for (const row of rows) if (!firsts.has(row.id)) firsts.set(row.id, row);
  return firsts;
};

/** All processes take ids in one order, so that two batches cannot wait for each other. */
const inOrder = (rows: Iterable<Row>): Row[] => [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));

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

  let prepared: Promise<void> | undefined;
  const prepare = (): Promise<void> => {
    prepared ??= trySettings(pool, () => prepareSchema(pool, { mustExist })).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };

  /** A schema that was dropped, or a database made anew, is prepared again by whoever comes next. */
  const withSchema = async <T>(work: () => Promise<T>): Promise<T> => {
    await prepare();
    try {
      return await work();
    } catch (error) {
      if (isUndefinedTable(error)) prepared = undefined;
      throw error;
    }
  };

  const insert = async (rows: readonly Row[]): Promise<Set<string>> => {
    const columns = [rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ tag }) => tag)];
    const result = await pool.query<Pick<Row, 'id'>>(INSERT, columns);
    return new Set(result.rows.map(({ id }) => id));
  };

  const commit = async (plants: readonly NewPlant[]): Promise<CreateOutcome[]> => {
    const rows = plants.map(toRow);
    const holders = firstOfEachId(rows);
    const created = await insert(inOrder(holders.values()));
    const taken = [...holders.keys()].filter((id) => !created.has(id));
    for (const id of taken) holders.delete(id);
    const found = taken.length === 0 ? [] : (await pool.query<Row>(SELECT, [taken])).rows;
    for (const row of found) holders.set(row.id, row);
    return rows.map((row) => {
      const holder = holders.get(row.id);
      if (!holder) throw new Error(`plant ${row.id} went away while it was compared`);
      if (holder === row) return 'created';
      return isSame(holder, row) ? 'unchanged' : 'conflict';
    });
  };

  const patiently = <T>(work: () => Promise<T>): Promise<T> =>
    retry(work, { isTransient, within: RETRY_WITHIN }).catch((error: unknown) => {
      throw toUnavailable(error);
    });

  let fullAt = Number.NEGATIVE_INFINITY;
  const commitPatiently = async (plants: readonly NewPlant[]): Promise<CreateOutcome[]> => {
    try {
      const outcomes = await patiently(() => withSchema(() => commit(plants)));
      fullAt = Number.NEGATIVE_INFINITY;
      return outcomes;
    } catch (error) {
      if (error instanceof StoreUnavailable && error.reason === 'full') fullAt = performance.now();
      throw error;
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
    });

  try {
    await prepare().catch(refuseUnfit);
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    create: submit,
    async check() {
      try {
        await withSchema(() => insert([]));
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

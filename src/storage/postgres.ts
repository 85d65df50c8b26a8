import type { OpenOptions, PostgresLimits } from '@trellis/server';
import { StoreUnavailable } from '@trellis/server';
import { type CommitBatch, type GuardedStatement, openPostgresEngine } from '@trellis/server/postgres';
import type { NewPlant } from '../plants/plant.ts';
import type { CreateOutcome, PlantStore } from '../plants/repository.ts';
import { ENOUGH_CHARACTERS, readInPages, type Row as StoredRow, toNewPlant } from './pages.ts';

const SCHEMA = {
  name: 'plant store',
  namespace: 'plant_store',
  steps: ['CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)'],
  tables: ['plants'],
};

const INSERT: GuardedStatement = ({ write }) => `INSERT INTO plants (id, name, tag)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]) WHERE ${write}
  ON CONFLICT (id) DO NOTHING RETURNING id`;

const SELECT: GuardedStatement = ({ read }) =>
  `SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[]) AND ${read}`;

/** Adds up the bytes of the rows before each one: a text has no fewer bytes than characters, and need not be read. */
const SELECT_PAGE = `SELECT id, name, tag FROM (
    SELECT id, name, tag, sum(octet_length(name) + coalesce(octet_length(tag), 0))
      OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT id, name, tag FROM plants WHERE id >= $1::bigint ORDER BY id LIMIT $2) AS page
  ) AS page WHERE coalesce(before, 0) < $3 ORDER BY id`;

type Row = StoredRow<string>;

const toRow = ({ id, name, tag }: NewPlant): Row => ({ id: `${id}`, name, tag: tag ?? null });

const isSame = (one: Row, other: Row): boolean => one.name === other.name && one.tag === other.tag;

const firstOfEachId = (rows: readonly Row[]): Map<string, Row> => {
  const firsts = new Map<string, Row>();
  for (const row of rows) if (!firsts.has(row.id)) firsts.set(row.id, row);
  return firsts;
};

/** All processes lock ids in the same order, so that two batches cannot wait for each other. */
const inOrder = (rows: Iterable<Row>): Row[] => [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));

const toColumns = (rows: readonly Row[]) => [
  rows.map(({ id }) => id),
  rows.map(({ name }) => name),
  rows.map(({ tag }) => tag),
];

/** Deleted before it was compared, left out by a trigger, or hidden by a policy. */
const missing = ({ id }: Row): StoreUnavailable =>
  new StoreUnavailable('failing', { cause: new Error(`plant ${id} was neither stored nor found`) });

/**
 * Inserts new plants in one statement. Ids that were taken cost a second one, to see who holds them; what that finds is
 * as durable as what the first has stored. The database decides, so any number of services agree.
 */
const createAll: CommitBatch<NewPlant, CreateOutcome> = async ({ run, checkGuards }, plants) => {
  const rows = plants.map(toRow);
  const holders = firstOfEachId(rows);
  const stored = await run<Pick<Row, 'id'>>(INSERT, toColumns(inOrder(holders.values())));
  const created = new Set(stored.map(({ id }) => id));
  const taken = [...holders.keys()].filter((id) => !created.has(id));
  for (const id of taken) holders.delete(id);
  const found = taken.length === 0 ? [] : await run<Row>(SELECT, [taken]);
  if (found.length < taken.length) await checkGuards(); // a guard that does not hold stores and finds nothing
  for (const row of found) holders.set(row.id, row);
  return rows.map((row) => {
    const holder = holders.get(row.id);
    if (!holder) return missing(row);
    if (holder === row) return 'created';
    return isSame(holder, row) ? 'unchanged' : 'conflict';
  });
};

/** Opens a store that any number of services can share. */
export const openPostgresRepository = async (
  url: string,
  limits: PostgresLimits,
  options?: OpenOptions,
): Promise<PlantStore> => {
  const engine = await openPostgresEngine(url, limits, SCHEMA, options);
  return {
    create: engine.batch(createAll),
    all: () =>
      readInPages(async (from, count) => {
        const rows = await engine.read<Row>(SELECT_PAGE, [`${from}`, count, ENOUGH_CHARACTERS]);
        return rows.map(toNewPlant);
      }),
    check: () => engine.check(INSERT, [[], [], []]),
    close: engine.close,
  };
};

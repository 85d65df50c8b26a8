import type { Pool } from 'pg';
import type { NewPlant } from '../plants/plant.ts';
import type { CreateOutcome, StoreUnavailable } from '../plants/repository.ts';
import { checkGuards, type Guards } from './postgres-durability.ts';
import { toUnavailable } from './postgres-errors.ts';
import { runConfirmed } from './postgres-pool.ts';

/** No transaction block, no session state, no named statement: it works behind pgbouncer in transaction mode. */
const insertIf = ({ write }: Guards) => `INSERT INTO plants (id, name, tag)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]) WHERE ${write}
  ON CONFLICT (id) DO NOTHING RETURNING id`;
const selectIf = ({ read }: Guards) =>
  `SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[]) AND ${read}`;

/** A row as pg gives it: a bigint as its digits. */
export interface Row {
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

/** What became of a plant; one that fails by itself does not fail its neighbours. */
export type PlantOutcome = CreateOutcome | StoreUnavailable;

/** Deleted before it was compared, left out by a trigger, or hidden by a policy. */
const missing = ({ id }: Row): StoreUnavailable =>
  toUnavailable(new Error(`plant ${id} was neither stored nor found`));

/** Gives the ids of those that were stored. */
const insert = async (pool: Pool, rows: readonly Row[], guards: Guards): Promise<Set<string>> => {
  const columns = [rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ tag }) => tag)];
  const stored = await runConfirmed<Pick<Row, 'id'>>(pool, insertIf(guards), columns);
  return new Set(stored.map(({ id }) => id));
};

/** Tries, with nothing at all, whether plants could be stored. */
export const tryInsert = async (pool: Pool, guards: Guards): Promise<void> => {
  await insert(pool, [], guards);
  await checkGuards(pool);
};

/**
 * Stores what is new and compares the rest with what is there. What is there already, as the same plant or as another,
 * is told only once it is as durable as what was stored.
 */
export const commitBatch = async (
  pool: Pool,
  plants: readonly NewPlant[],
  guards: Guards,
): Promise<PlantOutcome[]> => {
  const rows = plants.map(toRow);
  const holders = firstOfEachId(rows);
  const created = await insert(pool, inOrder(holders.values()), guards);
  const taken = [...holders.keys()].filter((id) => !created.has(id));
  for (const id of taken) holders.delete(id);
  const found = taken.length === 0 ? [] : await runConfirmed<Row>(pool, selectIf(guards), [taken]);
  if (found.length < taken.length) await checkGuards(pool); // a guard that does not hold stores and finds nothing
  for (const row of found) holders.set(row.id, row);
  return rows.map((row) => {
    const holder = holders.get(row.id);
    if (!holder) return missing(row);
    if (holder === row) return 'created';
    return isSame(holder, row) ? 'unchanged' : 'conflict';
  });
};

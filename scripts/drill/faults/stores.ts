import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import type { SentPlant } from './clients.ts';

/** A plant as the store has it; ids as digits, so that none can get lost on the way. */
export interface StoredPlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const toStored = ({ id, name, tag }: Readonly<Record<string, unknown>>): StoredPlant => {
  if (!isText(id) || !isText(name) || !(isText(tag) || tag === null))
    throw new Error(`not a plant: ${id}, ${name}, ${tag}`);
  return { id, name, tag };
};

const SELECT = 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants';

/** Reads a SQLite store past the service. */
export const readSqlite = async (path: string): Promise<StoredPlant[]> => {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(SELECT).all().map(toStored);
  } finally {
    database.close();
  }
};

/** Reads a PostgreSQL store past the service. */
export const readPostgres = async (url: string): Promise<StoredPlant[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(SELECT)).rows.map(toStored);
  } finally {
    await client.end();
  }
};

/** What is wrong with a store, held against what was acknowledged. */
export interface Damage {
  readonly lost: number;
  readonly altered: number;
  readonly twice: number;
}

/** Compares every acknowledged plant with what is stored. What was stored but never acknowledged is no damage. */
export const findDamage = (
  acknowledged: ReadonlyMap<string, SentPlant>,
  stored: readonly StoredPlant[],
): Damage => {
  const byId = new Map(stored.map((plant) => [plant.id, plant]));
  const held = [...acknowledged.values()].map((sent) => ({ sent, plant: byId.get(sent.id) }));
  return {
    lost: held.filter(({ plant }) => !plant).length,
    altered: held.filter(({ sent, plant }) => plant && (plant.name !== sent.name || plant.tag !== sent.tag))
      .length,
    twice: stored.length - byId.size,
  };
};

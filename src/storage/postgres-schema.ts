import type { Pool } from 'pg';
import { fieldOf } from './postgres-errors.ts';

/**
 * The schema, a step for each version. A step may run twice, and in several processes at once: PostgreSQL makes
 * DDL wait, its cousins may not, so each step must be harmless to repeat.
 */
const STEPS = ['CREATE TABLE IF NOT EXISTS plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)'];

const VERSIONS = 'CREATE TABLE IF NOT EXISTS plant_store_schema (version integer PRIMARY KEY)';
const SETTINGS = `SELECT current_setting('server_encoding', true) AS encoding,
  current_setting('synchronous_commit', true) AS synchronous`;

/** Two who create a table at once can both find it missing: duplicate table, type or catalogue row. */
const isLostRace = (error: unknown): boolean => /^(42P07|42710|23505)$/.test(fieldOf(error, 'code'));

const runOrYield = async (pool: Pool, statement: string): Promise<void> => {
  try {
    await pool.query(statement);
  } catch (error) {
    if (!isLostRace(error)) throw error;
    await pool.query(statement);
  }
};

/** Looks before it creates: where the schema is up to date, the right to read and to insert is all it takes. */
const readVersion = async (pool: Pool): Promise<number> => {
  try {
    const { rows } = await pool.query('SELECT max(version) AS version FROM plant_store_schema');
    return Number(rows[0]?.version ?? 0);
  } catch (error) {
    if (fieldOf(error, 'code') !== '42P01') throw error; // undefined table
    await runOrYield(pool, VERSIONS);
    return readVersion(pool);
  }
};

/** A database that cannot keep what the service promises. Waiting will not help; somebody has to mend it. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

const checkSettings = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query(SETTINGS);
  const { encoding, synchronous } = rows[0] ?? {};
  if (encoding && !/^utf-?8$/i.test(encoding))
    throw new UnfitDatabase(`DATABASE_URL: the database is in ${encoding}; create it WITH ENCODING 'UTF8'`);
  if (synchronous === 'off')
    throw new UnfitDatabase('DATABASE_URL: synchronous_commit is off, so commits can be lost; set it on');
};

/** Brings the schema up to date, or says why this database is not fit for the service. */
export const prepareSchema = async (pool: Pool): Promise<void> => {
  await checkSettings(pool);
  const version = await readVersion(pool);
  if (version > STEPS.length)
    throw new UnfitDatabase(
      `DATABASE_URL: the database has schema version ${version} and this program knows ${STEPS.length}; run a newer program`,
    );
  for (const [index, step] of STEPS.slice(version).entries()) {
    await runOrYield(pool, step);
    await pool.query('INSERT INTO plant_store_schema VALUES ($1) ON CONFLICT DO NOTHING', [
      version + index + 1,
    ]);
  }
};

import type { Pool } from 'pg';
import type { OpenOptions } from './options.ts';
import {
  checkDurability,
  chooseGuards,
  type Guards,
  readSettings,
  type Settings,
} from './postgres-durability.ts';
import { fieldOf, isUndefinedTable, UnfitDatabase } from './postgres-errors.ts';

/**
 * The schema, a step for each version. A step may run twice, and in several processes at once: PostgreSQL makes
 * DDL wait, its cousins may not, so each step must be harmless to repeat.
 */
const STEPS = ['CREATE TABLE IF NOT EXISTS plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)'];

const VERSIONS = 'CREATE TABLE IF NOT EXISTS plant_store_schema (version integer PRIMARY KEY)';

/** What the steps lead to, in the words of COLUMNS. */
const OUR_COLUMNS = 'id bigint NOT NULL UNIQUE, name text NOT NULL, tag text';

/** Our columns, and those of others that an insert of ours would have to fill; from catalogues that all may read. */
const COLUMNS = `SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod)
    || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
    || CASE WHEN attidentity = 'a' OR attgenerated <> '' THEN ' GENERATED' ELSE '' END
    || CASE WHEN EXISTS (SELECT 1 FROM pg_index WHERE indrelid = attrelid AND indkey[0] = attnum AND indnkeyatts = 1
         AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL) THEN ' UNIQUE' ELSE '' END,
    ', ' ORDER BY attname) AS columns
  FROM pg_attribute WHERE attrelid = to_regclass('plants') AND attnum > 0 AND NOT attisdropped
  AND (attname IN ('id', 'name', 'tag') OR (attnotnull AND NOT atthasdef AND attidentity = ''))`;

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

/** The version that was reached; 0 where there is none. */
const readVersion = async (pool: Pool): Promise<number> => {
  try {
    const { rows } = await pool.query('SELECT max(version) AS version FROM plant_store_schema');
    return Number(rows[0]?.version ?? 0);
  } catch (error) {
    if (isUndefinedTable(error)) return 0;
    throw error;
  }
};

const writeVersion = async (pool: Pool): Promise<void> => {
  await runOrYield(pool, VERSIONS);
  await pool.query('INSERT INTO plant_store_schema VALUES ($1) ON CONFLICT DO NOTHING', [STEPS.length]);
};

const checkEncoding = ({ encoding }: Settings): void => {
  if (encoding && !/^utf-?8$/i.test(encoding))
    throw new UnfitDatabase(`DATABASE_URL: the database is in ${encoding}; create it WITH ENCODING 'UTF8'`);
};

/** A step takes a table of that name for ours. One that differs would refuse plants, or alter them. */
const checkTable = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query(COLUMNS);
  const columns = rows[0]?.columns;
  if (columns !== OUR_COLUMNS)
    throw new UnfitDatabase(
      `DATABASE_URL: the table plants must be (${OUR_COLUMNS}) and is (${columns ?? 'missing'}); mend it, or name another database`,
    );
};

/**
 * Brings the schema up to date, or says why this database is not fit for the service. Looks before it creates: where
 * the schema is up to date, the right to read and to insert is all it takes. Answers how its statements are guarded.
 */
export const prepareSchema = async (pool: Pool, { mustExist = false }: OpenOptions = {}): Promise<Guards> => {
  const settings = await readSettings(pool);
  checkEncoding(settings);
  // Who only reads promises nothing: an export may be the way out of a database that is not fit.
  if (!mustExist) await checkDurability(pool, settings);
  const version = await readVersion(pool);
  if (mustExist && version === 0)
    throw new UnfitDatabase('DATABASE_URL: the database holds no plant store; name the one that does');
  if (version > STEPS.length)
    throw new UnfitDatabase(
      `DATABASE_URL: the database has schema version ${version} and this program knows ${STEPS.length}; run a newer program`,
    );
  for (const step of STEPS.slice(version)) await runOrYield(pool, step);
  await checkTable(pool);
  if (version < STEPS.length) await writeVersion(pool); // last: a database that is refused stays as it was
  return chooseGuards(settings);
};

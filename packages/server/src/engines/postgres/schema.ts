import type { Pool } from 'pg';
import { fieldOf } from '../errors.ts';
import type { OpenOptions } from '../options.ts';
import { checkDurability, chooseGuards, type Guards, readSettings, type Settings } from './durability.ts';
import { isUndefinedTable, UnfitDatabase } from './errors.ts';

/** The schema of a store. */
export interface PostgresSchema {
  /** What the database holds, for messages: "the database holds no …". */
  readonly name: string;
  /** Begins the names of what is the store's own: the table NAMESPACE_schema with its versions, and its messages. */
  readonly namespace: string;
  /**
   * SQL, one step per version. A step may run twice, and in several processes at once (PostgreSQL makes DDL wait, related
   * databases may not), so each must be harmless to repeat.
   */
  readonly steps: readonly string[];
  /** The columns of each table that the steps lead to: type, then NOT NULL, then UNIQUE, as in `bigint NOT NULL UNIQUE`. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const inOrder = (lines: readonly string[]): string => lines.toSorted().join(', ');

/** Reads these columns, and any other that an insert would have to fill, from catalogues that everybody may read. */
const columnsQuery = (table: string, names: readonly string[]): string =>
  `SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod)
    || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
    || CASE WHEN attidentity = 'a' OR attgenerated <> '' THEN ' GENERATED' ELSE '' END
    || CASE WHEN EXISTS (SELECT 1 FROM pg_index WHERE indrelid = attrelid AND indkey[0] = attnum AND indnkeyatts = 1
         AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL) THEN ' UNIQUE' ELSE '' END,
    ', ' ORDER BY attname) AS columns
  FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attnum > 0 AND NOT attisdropped
  AND (attname IN (${names.map((name) => `'${name}'`).join(', ')})
    OR (attnotnull AND NOT atthasdef AND attidentity = ''))`;

/** If two processes create a table at once, both may find it missing: duplicate table, type or catalogue row. */
export const isLostRace = (error: unknown): boolean => /^(42P07|42710|23505)$/.test(fieldOf(error, 'code'));

const runOrYield = async (pool: Pool, statement: string): Promise<void> => {
  try {
    await pool.query(statement);
  } catch (error) {
    if (!isLostRace(error)) throw error;
    await pool.query(statement);
  }
};

/** Reads the version of the schema; 0 if there is none. */
const readVersion = async (pool: Pool, { namespace }: PostgresSchema): Promise<number> => {
  try {
    const { rows } = await pool.query(`SELECT max(version) AS version FROM ${namespace}_schema`);
    return Number(rows[0]?.version ?? 0);
  } catch (error) {
    if (isUndefinedTable(error)) return 0;
    throw error;
  }
};

const writeVersion = async (pool: Pool, { namespace, steps }: PostgresSchema): Promise<void> => {
  const table = `${namespace}_schema`;
  await runOrYield(pool, `CREATE TABLE IF NOT EXISTS ${table} (version integer PRIMARY KEY)`);
  await pool.query(`INSERT INTO ${table} VALUES ($1) ON CONFLICT DO NOTHING`, [steps.length]);
};

/** Throws if the database cannot hold every text. */
export const checkEncoding = ({ encoding }: Settings): void => {
  if (encoding && !/^utf-?8$/i.test(encoding))
    throw new UnfitDatabase(`DATABASE_URL: the database is in ${encoding}; create it WITH ENCODING 'UTF8'`);
};

/** A step leaves a table of the same name as it is. One with other columns would refuse rows, or alter them. */
const checkTables = async (pool: Pool, { tables }: PostgresSchema): Promise<void> => {
  for (const [table, types] of Object.entries(tables)) {
    const wanted = inOrder(Object.entries(types).map(([name, type]) => `${name} ${type}`));
    const { rows } = await pool.query(columnsQuery(table, Object.keys(types)));
    const columns = rows[0]?.columns;
    if (columns !== wanted)
      throw new UnfitDatabase(
        `DATABASE_URL: the table ${table} must be (${wanted}) and is (${columns ?? 'missing'}); mend it, or name another database`,
      );
  }
};

/**
 * Brings the schema up to date, or says why the database is unfit. Creates nothing that exists: with an up-to-date
 * schema the rights to read and insert are enough. Gives the guards for the store's statements.
 */
export const prepareSchema = async (
  pool: Pool,
  schema: PostgresSchema,
  { mustExist = false }: OpenOptions = {},
): Promise<Guards> => {
  const guarded = { namespace: schema.namespace, tables: Object.keys(schema.tables) };
  const known = schema.steps.length;
  const settings = await readSettings(pool);
  checkEncoding(settings);
  // A reader promises nothing, and an export may be the way out of an unfit database.
  if (!mustExist) await checkDurability(pool, settings, guarded);
  const version = await readVersion(pool, schema);
  if (mustExist && version === 0)
    throw new UnfitDatabase(`DATABASE_URL: the database holds no ${schema.name}; name the one that does`);
  if (version > known)
    throw new UnfitDatabase(
      `DATABASE_URL: the database has schema version ${version} and this program knows ${known}; run a newer program`,
    );
  for (const step of schema.steps.slice(version)) await runOrYield(pool, step);
  await checkTables(pool, schema);
  if (version < known) await writeVersion(pool, schema); // last, so that a refused database stays as it was
  return chooseGuards(settings, guarded);
};

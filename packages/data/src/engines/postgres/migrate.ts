import type { Pool, PoolClient } from 'pg';
import { fieldOf } from '../errors.ts';
import { checkSteps, hashStep } from '../migrations.ts';
import { isForGood, isUndefinedTable, UnfitDatabase } from './errors.ts';
import { keyOf } from './lock.ts';

/** The schema of a store. */
export interface PostgresSteps {
  /** The kind of data, for messages: "the database holds no …". */
  readonly name: string;
  /** Prefix of the names that belong to the store: the table NAMESPACE_schema with its versions, and its messages. */
  readonly namespace: string;
  /** SQL, one step per version. Each runs once, in a transaction, so it cannot say CONCURRENTLY. */
  readonly steps: readonly string[];
}

/** How long a step may take, and the wait for another service that runs the steps, in milliseconds. */
const STEP_WITHIN = 60 * 60 * 1000;

/** Overrides the driver's own limit, which is for requests. */
const patiently = (text: string) => ({ text, query_timeout: STEP_WITHIN });

const refuse = (why: unknown, cause?: unknown): never => {
  throw new UnfitDatabase(`DATABASE_URL: ${why instanceof Error ? why.message : why}`, { cause });
};

/** Counts the steps that have run. Throws if a step was edited since, or is unknown here. */
const countRun = async (
  database: Pool | PoolClient,
  { namespace, steps }: PostgresSteps,
): Promise<number> => {
  const { rows } = await database.query<{ hash: string }>(
    `SELECT hash FROM ${namespace}_schema ORDER BY version`,
  );
  if (rows.length > steps.length)
    refuse(
      `the database has schema version ${rows.length} and this program knows ${steps.length}; run a newer program`,
    );
  try {
    checkSteps(
      steps,
      rows.map(({ hash }) => hash),
    );
  } catch (error) {
    refuse(error);
  }
  return rows.length;
};

const runStep = async (client: PoolClient, step: string, version: number): Promise<void> => {
  try {
    await client.query(patiently(step));
  } catch (error) {
    if (!isForGood(error)) throw error;
    const reason = fieldOf(error, 'message');
    refuse(`step ${version} of the schema failed: ${reason}; mend it, or name another database`, error);
  }
};

/** Runs the missing steps in one transaction. Other services wait, where the database has locks for that. */
const runSteps = async (pool: Pool, schema: PostgresSteps, hasLocks: boolean): Promise<void> => {
  const { namespace, steps } = schema;
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    if (hasLocks) {
      await client.query(`SET LOCAL statement_timeout = ${STEP_WITHIN}`);
      await client.query(patiently(`SELECT pg_advisory_xact_lock(${keyOf(namespace, 'schema')})`));
    }
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${namespace}_schema (version integer PRIMARY KEY, hash text NOT NULL)`,
    );
    const count = await countRun(client, schema);
    for (const [index, step] of steps.entries()) {
      if (index < count) continue;
      await runStep(client, step, index + 1);
      await client.query(`INSERT INTO ${namespace}_schema VALUES ($1, $2)`, [index + 1, hashStep(step)]);
    }
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
};

/** If two processes create a table at once, both may find it missing: duplicate table, type or catalogue row. */
const isLostRace = (error: unknown): boolean => /^(42P07|42710|23505)$/.test(fieldOf(error, 'code'));

/**
 * Brings the schema up to date, or says why it cannot be. Any number of services may start at once. With an up-to-date
 * schema nothing is written, so the rights that the statements need are enough.
 */
export const migrate = async (
  pool: Pool,
  schema: PostgresSteps,
  { mustExist, hasLocks }: { readonly mustExist: boolean; readonly hasLocks: boolean },
): Promise<void> => {
  const count = await countRun(pool, schema).catch((error: unknown) => {
    if (isUndefinedTable(error)) return undefined;
    throw error;
  });
  if (mustExist && !count) refuse(`the database holds no ${schema.name}; name the one that does`);
  if (mustExist || count === schema.steps.length) return;
  try {
    await runSteps(pool, schema, hasLocks);
  } catch (error) {
    if (!isLostRace(error) && !(error instanceof UnfitDatabase && isLostRace(error.cause))) throw error;
    await runSteps(pool, schema, hasLocks);
  }
};

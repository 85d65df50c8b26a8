import type { Pool, PoolClient } from 'pg';
import { fieldOf } from '../errors.ts';
import { checkSteps, hashStep, type Schema } from '../schema.ts';
import { isForGood, isUndefinedTable, UnfitDatabase } from './errors.ts';
import { keyOf } from './lock.ts';

/** How long a step may take, and the wait for another service that runs the steps, in milliseconds. */
const STEP_WITHIN = 60 * 60 * 1000;

/** Overrides the driver's own limit, which is for requests. */
const patiently = (text: string) => ({ text, query_timeout: STEP_WITHIN });

/** Reads the hashes of the steps that have run; tables of before have none. */
const readHashes = async (
  database: Pool | PoolClient,
  { namespace }: Schema,
): Promise<readonly (string | undefined)[]> => {
  const { rows } = await database.query<{ version: bigint; hash: string | null }>(
    `SELECT version, to_jsonb(run) ->> 'hash' AS hash FROM ${namespace}_schema AS run ORDER BY version`,
  );
  const hashes = new Map(rows.map(({ version, hash }) => [Number(version), hash ?? undefined]));
  return Array.from({ length: Math.max(0, ...hashes.keys()) }, (_, index) => hashes.get(index + 1));
};

const checkRun = ({ steps }: Schema, hashes: readonly (string | undefined)[]): void => {
  if (hashes.length > steps.length)
    throw new UnfitDatabase(
      `DATABASE_URL: the database has schema version ${hashes.length} and this program knows ${steps.length}; run a newer program`,
    );
  try {
    checkSteps(steps, hashes);
  } catch (error) {
    throw new UnfitDatabase(`DATABASE_URL: ${error instanceof Error ? error.message : error}`);
  }
};

const runStep = async (client: PoolClient, step: string, version: number): Promise<void> => {
  try {
    await client.query(patiently(step));
  } catch (error) {
    if (!isForGood(error)) throw error;
    const reason = error instanceof Error ? error.message : error;
    throw new UnfitDatabase(
      `DATABASE_URL: step ${version} of the schema failed: ${reason}; mend it, or name another database`,
      { cause: error },
    );
  }
};

/** Runs the missing steps in one transaction. Other services wait, where the database has locks for that. */
const runSteps = async (pool: Pool, schema: Schema, hasLocks: boolean): Promise<void> => {
  const { namespace, steps } = schema;
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    if (hasLocks) {
      await client.query(`SET LOCAL statement_timeout = ${STEP_WITHIN}`);
      await client.query(patiently(`SELECT pg_advisory_xact_lock(${keyOf(namespace, 'schema')})`));
    }
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${namespace}_schema (version integer PRIMARY KEY, hash text);
      ALTER TABLE ${namespace}_schema ADD COLUMN IF NOT EXISTS hash text`,
    );
    const hashes = await readHashes(client, schema);
    checkRun(schema, hashes);
    for (const [index, step] of steps.entries()) {
      if (index >= hashes.length) await runStep(client, step, index + 1);
      await client.query(
        `INSERT INTO ${namespace}_schema (version, hash) VALUES ($1, $2)
        ON CONFLICT (version) DO UPDATE SET hash = excluded.hash`,
        [index + 1, hashStep(step)],
      );
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

/** The hashes of the steps that have run; `undefined` if there is no table of them. */
const readRun = async (pool: Pool, schema: Schema) => {
  try {
    return await readHashes(pool, schema);
  } catch (error) {
    if (isUndefinedTable(error)) return undefined;
    throw error;
  }
};

/**
 * Brings the schema up to date, or says why it cannot be. Any number of services may start at once. With an up-to-date
 * schema nothing is written, so the rights that the statements need are enough; a store of before, which kept no hashes,
 * has them after its next step.
 */
export const migrate = async (
  pool: Pool,
  schema: Schema,
  { mustExist, hasLocks }: { readonly mustExist: boolean; readonly hasLocks: boolean },
): Promise<void> => {
  const hashes = await readRun(pool, schema);
  if (hashes) checkRun(schema, hashes);
  if (mustExist && !hashes?.length)
    throw new UnfitDatabase(`DATABASE_URL: the database holds no ${schema.name}; name the one that does`);
  if (mustExist || hashes?.length === schema.steps.length) return;
  try {
    await runSteps(pool, schema, hasLocks);
  } catch (error) {
    if (!isLostRace(error) && !(error instanceof UnfitDatabase && isLostRace(error.cause))) throw error;
    await runSteps(pool, schema, hasLocks);
  }
};

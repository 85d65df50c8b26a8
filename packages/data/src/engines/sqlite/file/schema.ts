import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { checkSteps, hashStep, type Schema } from '../../schema.ts';

/** Runs a pragma and gives its answer; a pragma that sets something answers the value that holds now. */
export const askPragma = (database: Database, pragma: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];

const isEmpty = (database: Database): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;

/** Reads the version of the schema; throws if the file belongs to another program, or to a newer one. */
export const readVersion = (database: Database, { applicationId, steps }: Schema): number => {
  const found = askPragma(database, 'application_id');
  const version = Number(askPragma(database, 'user_version'));
  if (found !== applicationId && !(found === 0 && isEmpty(database)))
    throw new Error('it is the database of another program; name another file');
  if (version > steps.length)
    throw new Error(
      `it has schema version ${version} and this program knows ${steps.length}; run a newer program`,
    );
  return version;
};

/** The hashes of the steps that have run. */
const HASHES = 'trellis_steps';

const readHashes = (database: Database, version: number): (string | undefined)[] => {
  const isThere = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(HASHES) !== undefined;
  const rows = isThere ? database.prepare(`SELECT step, hash FROM ${HASHES}`).all() : [];
  const found = new Map(rows.map(({ step, hash }) => [step, String(hash)]));
  return Array.from({ length: version }, (_, index) => found.get(index + 1));
};

const writeHashes = (database: Database, steps: readonly string[]): void => {
  database.exec(`CREATE TABLE IF NOT EXISTS ${HASHES} (step INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT`);
  const insert = database.prepare(`INSERT INTO ${HASHES} VALUES (?, ?) ON CONFLICT DO NOTHING`);
  for (const [index, step] of steps.entries()) insert.run(index + 1, hashStep(step));
};

const checkReferences = (database: Database): void => {
  const broken = database.prepare('PRAGMA foreign_key_check').get();
  if (broken)
    throw new Error(
      `its schema leaves a row of ${broken.table} that refers to no row of ${broken.parent}; mend the step`,
    );
};

/**
 * Whether every step has run unchanged, and its hash is recorded. Throws if a step was edited after it had run. Edits
 * of steps that ran before hashes were recorded cannot be detected.
 */
export const isUpToDate = (database: Database, { steps }: Schema, version: number): boolean => {
  const hashes = readHashes(database, version);
  checkSteps(steps, hashes);
  return version === steps.length && !hashes.includes(undefined);
};

/**
 * Brings the schema up to date. Several processes may start at once, so the version is read again inside the transaction.
 * Foreign keys are checked once all steps have run, so that a step may replace a table that others refer to.
 */
export const migrate = (database: Database, schema: Schema): void => {
  const { applicationId, steps } = schema;
  database.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  const missing = steps.slice(readVersion(database, schema));
  for (const step of missing) database.exec(step);
  if (missing.length > 0) checkReferences(database);
  writeHashes(database, steps);
  database.exec(
    `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT; PRAGMA foreign_keys = ON`,
  );
};

import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { type DatabaseSyncInstance as Database, DatabaseSync } from '@photostructure/sqlite';
import type { OpenOptions } from './options.ts';
import { retry } from './retry.ts';
import { reasonOf, remedyOf } from './sqlite-errors.ts';
import { openNew, openThere, PATIENCE } from './sqlite-place.ts';

/** "PLNT": tells our files from other SQLite databases. */
const APPLICATION_ID = 0x504c4e54;

/** The schema, a step for each version: a database of version n has had the first n steps. */
const STEPS = ['CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT'];

/** What SQLite answers to a pragma. One that sets something answers what it is set to. */
const ask = (database: Database, pragma: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];

const isEmpty = (database: Database): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;

/** The schema's version, or the reason why this file is none of ours. */
const readVersion = (database: Database): number => {
  const applicationId = ask(database, 'application_id');
  const version = Number(ask(database, 'user_version'));
  if (applicationId !== APPLICATION_ID && !(applicationId === 0 && isEmpty(database)))
    throw new Error('it is the database of another program; name another file');
  if (version > STEPS.length)
    throw new Error(
      `it has schema version ${version} and this program knows ${STEPS.length}; run a newer program`,
    );
  return version;
};

/** Several processes may start at once: the version is read again once the others are kept out. */
const migrate = (database: Database): void => {
  database.exec('BEGIN IMMEDIATE');
  for (const step of STEPS.slice(readVersion(database))) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${STEPS.length}; COMMIT`);
};

/** SQLite does not fail where it cannot do as it is told; it answers what it does instead. */
const insist = (database: Database, pragma: string, wanted: unknown): void => {
  const answer = ask(database, pragma);
  if (answer === wanted) return;
  throw new Error(
    `it cannot keep what is committed (${pragma} is answered ${answer}); name a file on a local disk`,
  );
};

/** Of two who switch a new file to WAL at once, SQLite tells one that it is locked without the wait it was given. */
const switchToWal = (database: Database): Promise<void> =>
  retry(async () => insist(database, 'journal_mode = WAL', 'wal'), {
    isTransient: (error) => reasonOf(error) === 'busy',
    within: PATIENCE,
  });

/** With `synchronous=FULL` a commit in WAL mode is on disk before it returns. */
const makeDurable = async (database: Database): Promise<void> => {
  await switchToWal(database);
  database.exec('PRAGMA synchronous = FULL');
  insist(database, 'synchronous', 2);
};

/** Writes what is there already, so that a disk that is full or read-only shows. */
export const tryToWrite = (database: Database): void =>
  database.exec(`PRAGMA user_version = ${STEPS.length}`);

/** SQLite itself would make checkpoints before a commit returns; ours come later, see sqlite-log.ts. */
const SERVICE_SETTINGS = 'PRAGMA wal_autocheckpoint = 0';

/**
 * Ids in no order touch nearly every page in every batch. With room for 64 MiB of them, in memory and in the log, a
 * page is written once for many batches. Not for a service: the one who commits when the log is full waits for all.
 */
const BULK_SETTINGS =
  'PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384; PRAGMA journal_size_limit = 67108864';

/**
 * Opens the database of a path, its schema up to date and its commits durable. It is made on first use; one that must
 * exist is only to be read, and stays as it is.
 */
export const openDatabase = async (
  path: string,
  { mustExist = false, bulk = false }: OpenOptions = {},
): Promise<Database> => {
  let database: Database | undefined;
  try {
    const isThere = existsSync(path);
    if (mustExist && !isThere) throw new Error('there is no such file');
    // SQLite would open it to be read, and leave files beside it that nobody may write to either. An export only reads.
    if (isThere && !mustExist) await access(path, constants.W_OK);
    database = isThere ? openThere(path) : await openNew(path);
    database.exec('BEGIN'); // in one view of the file: another process may be making it
    const version = readVersion(database); // before anything is written: a file that is not ours stays as it was
    database.exec('COMMIT');
    if (mustExist && version === 0) throw new Error('it holds no plant store; name the one that does');
    if (!mustExist) await makeDurable(database);
    database.exec(bulk ? BULK_SETTINGS : SERVICE_SETTINGS);
    if (version < STEPS.length) migrate(database);
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`DATABASE_URL: ${path} cannot be used: ${reason}${remedyOf(cause)}`, { cause });
  }
};

/**
 * Copies one view of a database into an empty file of an absolute path, without a log, and counts its plants. SQLite's
 * own backup would start over with every write of others.
 */
export const copyInto = (database: Database, file: string): number => {
  database.prepare('VACUUM INTO ?').run(file);
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(copy.prepare('SELECT count(*) AS plants FROM plants').get()?.plants);
  } finally {
    copy.close();
  }
};

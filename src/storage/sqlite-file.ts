import { constants, existsSync, statSync } from 'node:fs';
import { access, mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { type DatabaseSyncInstance as Database, DatabaseSync } from '@photostructure/sqlite';
import type { Reason } from '../plants/repository.ts';
import type { OpenOptions } from './options.ts';
import { retry } from './retry.ts';

/** "PLNT": tells our files from other SQLite databases. */
const APPLICATION_ID = 0x504c4e54;

/** How long others may keep the file locked, in milliseconds. */
const PATIENCE = 5000;

/** The schema, a step for each version: a database of version n has had the first n steps. */
const STEPS = ['CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT'];

const readPragma = (database: Database, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

const isEmpty = (database: Database): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;

/** The schema's version, or the reason why this file is none of ours. */
const readVersion = (database: Database): number => {
  const applicationId = readPragma(database, 'application_id');
  const version = readPragma(database, 'user_version');
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

/** Of two who switch a new file to WAL at once, SQLite tells one that it is locked without the wait it was given. */
const switchToWal = (database: Database): Promise<void> =>
  retry(async () => database.exec('PRAGMA journal_mode = WAL'), {
    isTransient: (error) => reasonOf(error) === 'busy',
    within: PATIENCE,
  });

const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return; // directories cannot be opened there
  const directory = await open(path);
  await directory.sync().finally(() => directory.close());
};

/** SQLite syncs the folder of its files; the folders above, if they are new, are ours to sync. */
const makeDirectory = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
};

/** SQLite's result codes (the low byte of the extended ones), as reasons. */
const REASONS = new Map<number, Reason>([
  [5, 'busy'], // SQLITE_BUSY
  [6, 'busy'], // SQLITE_LOCKED
  [8, 'readonly'], // SQLITE_READONLY
  [13, 'full'], // SQLITE_FULL
]);

/** The system's own codes, as Node.js names them, as reasons. */
const SYSTEM_REASONS = new Map<unknown, Reason>([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'readonly'],
  ['EPERM', 'readonly'],
  ['EROFS', 'readonly'],
]);

/** What SQLite calls an I/O error may have been a disk without room for its shared memory. */
const isFull = (error: object): boolean =>
  'systemErrno' in error && SYSTEM_REASONS.get(getSystemErrorName(-Number(error.systemErrno))) === 'full';

/** What a failure of SQLite, or of the file system, means to whoever asked. */
export const reasonOf = (cause: unknown): Reason => {
  if (typeof cause !== 'object' || cause === null) return 'failing';
  if ('errcode' in cause)
    return REASONS.get(Number(cause.errcode) & 0xff) ?? (isFull(cause) ? 'full' : 'failing');
  if ('code' in cause) return SYSTEM_REASONS.get(cause.code) ?? 'failing';
  return 'cause' in cause ? reasonOf(cause.cause) : 'failing';
};

/** Writes what is there already, so that a disk that is full or read-only shows. */
export const tryToWrite = (database: Database): void =>
  database.exec(`PRAGMA user_version = ${STEPS.length}`);

const identify = (path: string): string => {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return 'nowhere';
  }
};

/**
 * Tells whether a database and its log are still the files under their names. In WAL mode SQLite does not look: what it
 * commits to a file that was removed or replaced is on disk, and nobody will find it there. Not told are a file whose
 * content alone was replaced, and one that went while it was being opened.
 */
export const watchPlace = (database: Database, path: string): (() => boolean) => {
  const log = `${database.location()}-wal`; // beside the file itself, where the path is a link to it
  const identifyBoth = () => `${identify(path)} ${identify(log)}`;
  const opened = identifyBoth();
  return () => identifyBoth() === opened;
};

/** What Node.js and SQLite refuse has a code; what we refuse names its remedy. */
const remedyOf = (cause: unknown): string => {
  const reason = reasonOf(cause);
  if (reason === 'busy') return '; end the program that keeps it locked, or name another file';
  if (reason === 'full') return '; make room on its disk, or name another file';
  return typeof cause === 'object' && cause !== null && 'code' in cause
    ? '; let this user write to it and to its folder, or name another file'
    : '';
};

/** SQLite itself makes checkpoints before a commit returns; it is to do so only where ours do not get through. In pages. */
const SERVICE_SETTINGS = 'PRAGMA wal_autocheckpoint = 2000';

/** A checkpoint: what is committed moves from the log into the file. It may fail; whoever commits next is told the same. */
export const makeCheckpoint = (database: Database, mode: 'PASSIVE' | 'TRUNCATE' = 'PASSIVE'): void => {
  try {
    database.exec(`PRAGMA wal_checkpoint(${mode})`);
  } catch {}
};

/**
 * Ids in no order touch nearly every page in every batch. With room for 64 MiB of them, in memory and in the log, a
 * page is written once for many batches. Not for a service: the one who commits when the log is full waits for all.
 */
const BULK_SETTINGS = 'PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384';

/** Opens the database of a path, made on first use unless it must exist, its schema up to date and its commits durable. */
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
    await makeDirectory(dirname(resolve(path)));
    database = new DatabaseSync(path, { timeout: PATIENCE });
    database.exec('BEGIN'); // in one view of the file: another process may be making it
    const version = readVersion(database); // before anything is written: a file that is not ours stays as it was
    database.exec('COMMIT');
    await switchToWal(database);
    database.exec(`PRAGMA synchronous = FULL; ${bulk ? BULK_SETTINGS : SERVICE_SETTINGS}`);
    if (version < STEPS.length) migrate(database);
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`DATABASE_URL: ${path} cannot be used: ${reason}${remedyOf(cause)}`, { cause });
  }
};

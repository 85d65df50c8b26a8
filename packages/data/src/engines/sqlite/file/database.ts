import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { type DatabaseSyncInstance as Database, DatabaseSync } from '@photostructure/sqlite';
import type { OpenOptions } from '../../engine.ts';
import { fieldOf } from '../../errors.ts';
import { retry } from '../../retry.ts';
import type { Schema } from '../../schema.ts';
import { reasonOf, remedyOf } from '../errors.ts';
import { IN_MEMORY } from '../protocol.ts';
import { LOG_BYTES, openExisting, openNew, PATIENCE } from './disk.ts';
import { askPragma, isUpToDate, migrate, readVersion } from './schema.ts';

/** SQLite does not fail if it cannot apply a setting; it answers the setting that it uses instead. */
const insist = (database: Database, pragma: string, wanted: unknown): void => {
  const answer = askPragma(database, pragma);
  if (answer === wanted) return;
  throw new Error(
    `committed writes could be lost (${pragma} is answered ${answer}); name a file on a local disk`,
  );
};

/** If two connections switch a new file to WAL at once, SQLite refuses one as locked, without waiting. */
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

/** Rewrites the current version, perhaps the version of a newer program. Fails on a disk that is full or read-only. */
export const tryToWrite = (database: Database): void =>
  database.exec(`PRAGMA user_version = ${askPragma(database, 'user_version')}`);

/**
 * SQLite would make checkpoints before a commit returns. We make them later, see checkpoints.ts. Up to 16 MiB of pages stay
 * in memory, not SQLite's 2: keys in random order touch a page each.
 */
const SERVICE_SETTINGS = `PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${LOG_BYTES}`;

/**
 * Keys in random order touch nearly every page in every batch. With room for 64 MiB of pages in memory and in the log,
 * a page is written once for many batches. A service cannot do that: the commit that finds the log full waits for all.
 */
const BULK_SETTINGS =
  'PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384; PRAGMA journal_size_limit = 67108864';

const allowMissing = (error: unknown): void => {
  if (fieldOf(error, 'code') !== 'ENOENT') throw error;
};

/** Opens a file, and checks it before anything is written: a foreign file, or another schema, stays unchanged. */
const openFile = async (path: string, schema: Schema, { mustExist = false, bulk = false }: OpenOptions) => {
  const isThere = existsSync(path);
  if (mustExist && !isThere) throw new Error('there is no such file');
  // SQLite would open a write-protected file read-only, and leave write-protected files beside it.
  if (!mustExist)
    for (const file of [path, `${path}-wal`]) await access(file, constants.W_OK).catch(allowMissing);
  const database = isThere ? openExisting(path) : await openNew(path);
  try {
    database.exec('BEGIN'); // in one view of the file: another process may be creating it
    const version = readVersion(database, schema);
    const isReady = mustExist || isUpToDate(database, schema, version);
    database.exec('COMMIT');
    if (mustExist && version === 0) throw new Error(`it holds no ${schema.name}; name the one that does`);
    if (!mustExist) await makeDurable(database);
    database.exec(bulk ? BULK_SETTINGS : SERVICE_SETTINGS);
    if (!isReady) migrate(database, schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Opens a database that ends with its connection. */
const openInMemory = (schema: Schema): Database => {
  const database = new DatabaseSync(IN_MEMORY);
  migrate(database, schema);
  return database;
};

/**
 * Opens a database with its schema up to date and durable commits. Creates it on first use; with `mustExist` the
 * database is only read and stays unchanged.
 */
export const openDatabase = async (
  path: string,
  schema: Schema,
  options: OpenOptions = {},
): Promise<Database> => {
  try {
    return path === IN_MEMORY ? openInMemory(schema) : await openFile(path, schema, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`DATABASE_URL: ${path} cannot be used: ${reason}${remedyOf(cause)}`, { cause });
  }
};

/**
 * Copies one view of a database into an empty file, given by absolute path, without a log, and checks the copy. Returns
 * the result of a counting query in it. SQLite's own backup would start over with every write of another connection.
 */
export const copyInto = (database: Database, file: string, count: string): number => {
  database.prepare('VACUUM INTO ?').run(file);
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    const found = askPragma(copy, 'integrity_check(1)');
    if (found !== 'ok') throw new Error(`the copy is damaged: ${found}`);
    return Number(Object.values(copy.prepare(count).get() ?? {})[0]);
  } finally {
    copy.close();
  }
};

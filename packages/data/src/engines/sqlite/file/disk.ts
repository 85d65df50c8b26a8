import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DatabaseSyncInstance as Database, DatabaseSync } from '@photostructure/sqlite';

/** How long to wait for a file that others keep locked, in milliseconds. */
export const PATIENCE = 5000;

/** Opens an existing file. */
export const openExisting = (path: string): Database => {
  if (!statSync(path).isFile()) throw new Error('it is no file; name another');
  return new DatabaseSync(`${pathToFileURL(path)}?mode=rw`, { timeout: PATIENCE });
};

/** Makes the entries of a folder durable. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
};

/** Makes a folder for its owner alone, durably. SQLite syncs the folder of its files, but no folder above it. */
const makeFolder = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
};

/**
 * Makes a file that only its owner may read. SQLite creates it with the mode of a model file, even if several processes
 * create it at once; its log and its shared memory get the mode of the file. We must not create the file ourselves:
 * closing it would drop the locks that another thread of this process may already have on it.
 */
export const openNew = async (path: string): Promise<Database> => {
  await makeFolder(dirname(resolve(path)));
  const model = resolve(`${path}.${randomBytes(6).toString('hex')}`);
  await writeFile(model, '', { mode: 0o600, flag: 'wx' });
  try {
    const options = `mode=rwc&modeof=${encodeURIComponent(model)}`;
    return new DatabaseSync(`${pathToFileURL(path)}?${options}`, { timeout: PATIENCE });
  } finally {
    await rm(model, { force: true });
  }
};

const identify = (path: string): string => {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return 'nowhere';
  }
};

/** The log of a database, beside the file itself, even if the path is a link to it; `undefined` in memory. */
const logOf = (database: Database): string | undefined => {
  const file = database.location();
  return file === null ? undefined : `${file}-wal`;
};

/** Tells the size of the file that the log of a database is in. */
export const watchLogSize = (database: Database): (() => number) => {
  const log = logOf(database);
  return () => (log && statSync(log, { throwIfNoEntry: false })?.size) || 0;
};

/**
 * Creates a function that identifies the files of a database and its log. If its result changes, a file was
 * removed or replaced. SQLite does not notice that in WAL mode: it keeps committing to a file that no path refers to.
 * Two cases stay undetected: a file whose content alone was replaced, and a file that was removed while it was being
 * opened.
 */
export const watchIdentity = (database: Database, path: string): (() => string) => {
  const log = logOf(database);
  return () => (log === undefined ? '' : `${identify(path)} ${identify(log)}`);
};

/**
 * Creates a function that removes the log of a database whose file was removed or replaced. SQLite would read it into
 * the file that takes its place, and processes that still have the removed file open would write to it. A log that is
 * not empty stays: its commits are in no file yet.
 */
export const watchForRemoval = (database: Database): (() => void) => {
  const file = database.location() ?? '';
  const log = logOf(database) ?? '';
  const [ownFile, ownLog] = [identify(file), identify(log)];
  return () => {
    const isEmpty = statSync(log, { throwIfNoEntry: false })?.size === 0; // another process may have removed it
    if (!isEmpty || identify(log) !== ownLog || identify(file) === ownFile) return;
    for (const each of [log, `${file}-shm`]) rmSync(each, { force: true });
  };
};

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DatabaseSyncInstance as Database, DatabaseSync } from '@photostructure/sqlite';
import { makeFolder } from './folders.ts';

/** How long others may keep the file locked, in milliseconds. */
export const PATIENCE = 5000;

/** Opens what is there, and only that. */
export const openThere = (path: string): Database => {
  if (!statSync(path).isFile()) throw new Error('it is no file; name another');
  return new DatabaseSync(`${pathToFileURL(path)}?mode=rw`, { timeout: PATIENCE });
};

/**
 * Makes a file that its owner alone may read. SQLite gives it the mode of a model, from its first moment on, whoever
 * else makes it at the same time; its log and its shared memory get the mode of the file. To make the file before SQLite
 * does would not do: as we close it, the locks that another thread of this process has on it by then are gone.
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

/**
 * Tells which files are under the names of a database and its log; another answer than the first says that one was
 * removed or replaced. In WAL mode SQLite does not look: what it commits to such a file is on disk, and nobody will find
 * it there. Not told are a file whose content alone was replaced, and one that went while it was being opened.
 */
export const watchPlace = (database: Database, path: string): (() => string) => {
  const log = `${database.location()}-wal`; // beside the file itself, where the path is a link to it
  return () => `${identify(path)} ${identify(log)}`;
};

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DatabaseSyncInstance as Database, DatabaseSync } from '@photostructure/sqlite';

/** The size that the file of the log keeps, in bytes: to overwrite it is cheaper than to extend it again. */
export const LOG_BYTES = 2 ** 24;

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

/** The size of a file; 0 if it cannot be found. */
export const sizeOf = (path: string): number => {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
};

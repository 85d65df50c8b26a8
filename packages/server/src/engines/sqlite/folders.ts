import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entries of a folder durable. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
};

/** Makes a folder for its owner alone, durably. SQLite syncs the folder of its files, but no folder above it. */
export const makeFolder = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
};

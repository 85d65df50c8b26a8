import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const isTaken = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';

/** Appears with its content, or not at all: nobody can read a file that is still empty. */
const createWhole = async (file: string, text: string): Promise<boolean> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  } finally {
    await unlink(draft);
  }
};

/**
 * The token for those who have configured none: made on first use, kept in a file that its owner alone may
 * read. Of several processes that start at once, one makes it and all use it.
 */
export const loadFirstToken = async (file: string): Promise<string> => {
  await mkdir(dirname(file), { recursive: true });
  const made = randomBytes(24).toString('base64url');
  if (await createWhole(file, `${made}\n`)) return made;
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`${file} is empty; delete it, and the next start makes a new token`);
  return token;
};

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const isTaken = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';

/**
 * The token for those who have configured none: made on first use, kept in a file that its owner alone may
 * read. Of several processes that start at once, one makes it and all use it.
 */
export const loadFirstToken = async (file: string): Promise<string> => {
  await mkdir(dirname(file), { recursive: true });
  try {
    const token = randomBytes(24).toString('base64url');
    await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`${file} is empty; delete it, and the next start makes a new token`);
  return token;
};

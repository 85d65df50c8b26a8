import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '@trellis/openapi/json';

/** Creates a file together with its content, so that nobody reads it empty; returns false if there is one already. */
const createWhole = async (file: string, text: string): Promise<boolean> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
};

/**
 * Gives the token of a service that has none configured. The first start creates it, in a file that only its owner can
 * read. If several processes start at once, one creates it and all use it.
 */
export const loadFirstToken = async (file: string): Promise<string> => {
  await mkdir(dirname(file), { recursive: true });
  const created = randomBytes(24).toString('base64url');
  if (await createWhole(file, `${created}\n`)) return created;
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`${file} is empty; delete it, and the next start makes a new token`);
  return token;
};

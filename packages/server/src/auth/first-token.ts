import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '@trellis/openapi/internal/json';

/**
 * Gives the token of a service that has none configured. The first start creates it, in a file that only its owner can
 * read.
 */
export const loadFirstToken = (file: string): string => {
  const created = randomBytes(24).toString('base64url');
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${created}\n`, { mode: 0o600, flag: 'wx' });
    return created;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !existsSync(file))
      throw new Error(`no token can be kept, so set ACCESS_TOKENS: ${error}`, { cause: error });
  }
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new Error(`${file} is empty; delete it, and the next start makes a new token`);
  return token;
};

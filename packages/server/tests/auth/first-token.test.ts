import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { loadFirstToken } from '../../src/auth/first-token.ts';

const makeFolder = temporaryFolders();

test('the first start makes the token, and all later ones use it', async () => {
  const file = join(await makeFolder(), 'data', 'access-token');
  const tokens = Array.from({ length: 3 }, () => loadFirstToken(file));
  expect(await readdir(dirname(file))).toEqual(['access-token']);
  expect(new Set(tokens)).toEqual(new Set([(await readFile(file, 'utf8')).trim()]));
});

test('two stores have two tokens', async () => {
  const [one, other] = await Promise.all([makeFolder(), makeFolder()]);
  const tokens = [loadFirstToken(join(one, 'token')), loadFirstToken(join(other, 'token'))];
  expect(new Set(tokens).size).toBe(2);
  expect(tokens.every((token) => /^[\w-]{32}$/.test(token))).toBe(true);
});

test('a folder that cannot be written to is an error, not a service without a token', () => {
  expect(() => loadFirstToken('/dev/null/access-token')).toThrow(
    /^no token can be kept, so set ACCESS_TOKENS: ./,
  );
});

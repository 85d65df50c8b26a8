import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { loadFirstToken } from '../../src/auth/first-token.ts';

const makeFolder = temporaryFolders();

test('of several starts at once one makes the token and all use it', async () => {
  const file = join(await makeFolder(), 'data', 'access-token');
  const tokens = await Promise.all(Array.from({ length: 32 }, () => loadFirstToken(file)));
  expect(await readdir(dirname(file))).toEqual(['access-token']);
  expect(new Set(tokens)).toEqual(new Set([(await readFile(file, 'utf8')).trim()]));
});

test('two stores have two tokens', async () => {
  const [one, other] = await Promise.all([makeFolder(), makeFolder()]);
  const tokens = [await loadFirstToken(join(one, 'token')), await loadFirstToken(join(other, 'token'))];
  expect(new Set(tokens).size).toBe(2);
  expect(tokens.every((token) => /^[\w-]{32}$/.test(token))).toBe(true);
});

test('a folder that cannot be written to is an error, not a service without a token', async () => {
  await expect(loadFirstToken('/dev/null/access-token')).rejects.toThrow();
});

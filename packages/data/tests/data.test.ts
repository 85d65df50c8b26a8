import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openData } from '@trellis/data';
import { promiseTheSame, promiseToLast } from './promises.ts';
import { temporaryFolders } from './support/files.ts';

const makeFolder = temporaryFolders();
const makeUrl = async () => `sqlite:${join(await makeFolder(), 'bank.db')}`;

describe('a SQLite file', () => {
  promiseTheSame(makeUrl);
  promiseToLast(makeUrl);
});

test('close releases an unused file', async () => {
  const folder = await makeFolder();
  const data = await openData(
    { databaseUrl: `sqlite:${join(folder, 'bank.db')}` },
    { name: 'Test', migrations: [] },
  );
  await data.close();
  expect(readdirSync(folder)).toEqual(['bank.db']); // SQLite removes its log when the last one closes the file
});

test.each(['sqlite::memory:', 'sqlite:file:bank.db?mode=memory'])(
  '%p is refused, since SQLite takes it for no plain path',
  async (databaseUrl) => {
    const opened = openData({ databaseUrl }, { name: 'Test', migrations: [] });
    await expect(opened).rejects.toThrow(
      /^DATABASE_URL: .* use memory: for a store that ends with the process/,
    );
  },
);

test.each(['mysql://user:s3cret@host', 'sqlite:', ''])(
  '%p is refused, without a password',
  async (databaseUrl) => {
    const opened = openData({ databaseUrl }, { name: 'Test', migrations: [] });
    await expect(opened).rejects.toThrow(/^DATABASE_URL names no database[^@]*$/);
  },
);

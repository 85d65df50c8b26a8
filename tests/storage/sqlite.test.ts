import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openStore } from '../../src/store.ts';
import { post, startService } from '../service/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();
const makePath = async () => join(await makeFolder(), 'plants.db');

/** Reads the file as another program would, ids as text so that no digit can get lost on the way. */
const readRows = (path: string) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare('SELECT CAST(id AS TEXT) AS id, name, tag FROM plants ORDER BY plants.id')
    .all();
  database.close();
  return rows.map((row) => ({ ...row }));
};

const sizeOf = (path: string): number => statSync(path).size;

test('plants are in the file, ids to the last digit', async () => {
  const path = await makePath();
  const plants = await openStore({ databaseUrl: `sqlite:${path}` });
  for (const id of [-(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n])
    await plants.create({ id, name: `${id}` });
  expect(readRows(path)).toEqual(
    ['-9223372036854775808', '9007199254740992', '9007199254740993', '9223372036854775807'].map((id) => ({
      id,
      name: id,
      tag: null,
    })),
  );
  await plants.close();
});

test('the same plant twice is one row', async () => {
  const path = await makePath();
  const plants = await openStore({ databaseUrl: `sqlite:${path}` });
  await plants.create({ id: 1n, name: 'Fern', tag: 'shade' });
  await plants.create({ id: 1n, name: 'Fern', tag: 'shade' });
  expect(readRows(path)).toEqual([{ id: '1', name: 'Fern', tag: 'shade' }]);
  await plants.close();
});

test('the format of the file stays: its marks, and its table', async () => {
  const path = await makePath();
  await (await openStore({ databaseUrl: `sqlite:${path}` })).close();
  const database = new DatabaseSync(path, { readOnly: true });
  const ask = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  expect(ask('PRAGMA application_id')).toBe(0x504c4e54);
  expect(ask('PRAGMA user_version')).toBe(1);
  expect(ask("SELECT sql FROM sqlite_schema WHERE name = 'plants'")).toBe(
    'CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT',
  );
  database.close();
});

test('plants are there again after the store was closed and opened', async () => {
  const path = await makePath();
  const before = await openStore({ databaseUrl: `sqlite:${path}` });
  await before.create({ id: 1n, name: 'Fern' });
  await before.close();
  const after = await openStore({ databaseUrl: `sqlite:${path}` });
  expect(await after.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
  await after.close();
});

describe('what SQLite would not keep in a file of that name', () => {
  test.each([
    ':memory:',
    'file:plants?mode=memory',
    'file::memory:',
    'file:plants.db',
    'file:///tmp/plants.db',
  ])('is refused with the remedy: sqlite:%s', async (path) => {
    const remedy = `DATABASE_URL: ${path} cannot be used: SQLite takes it for no plain path; use memory: for a store that ends with the process, or a path, as in sqlite:data/store.db`;
    for (const options of [{}, { bulk: true }, { mustExist: true }])
      await expect(openStore({ databaseUrl: `sqlite:${path}` }, options)).rejects.toThrow(remedy);
  });

  test('is refused with the remedy: no path at all', async () => {
    await expect(openStore({ databaseUrl: 'sqlite:' })).rejects.toThrow(
      'use sqlite:PATH, postgres://… or memory:',
    );
  });
});

test('a file that holds no store is not made one by those who only read', async () => {
  const path = await makePath();
  writeFileSync(path, '');
  await expect(openStore({ databaseUrl: `sqlite:${path}` }, { mustExist: true })).rejects.toThrow(
    'it holds no plant store; name the one that does',
  );
  expect(sizeOf(path)).toBe(0);
});

test('other requests do not wait for the disk', async () => {
  const path = await makePath();
  const service = await startService({ plants: await openStore({ databaseUrl: `sqlite:${path}` }) });
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE'); // nothing is written until this is over, as on a disk that does not answer
  let isAnswered = false;
  const answer = post(service, '{"id":1,"name":"Fern"}').finally(() => {
    isAnswered = true;
  });
  const alive = await Promise.all([1, 2, 3].map(() => fetch(`${service.url}/healthz`)));
  expect(alive.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(isAnswered).toBe(false);
  other.exec('ROLLBACK');
  other.close();
  expect((await answer).status).toBe(200);
  await service.close();
});

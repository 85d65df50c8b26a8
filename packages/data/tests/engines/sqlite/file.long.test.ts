import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openEngine } from '@trellis/data/internal';
import { canMount, modeOf, mountSmallDisk, sizeOf, startProgram, useFolders } from '../../support/files.ts';
import { openThings, SCHEMA } from './things.ts';

const { makeFolder, makePath } = useFolders();

test('a commit is on disk before it is acknowledged: WAL, synchronous FULL', async () => {
  const things = await openThings(await makePath());
  const sql = 'SELECT journal_mode AS mode, synchronous FROM pragma_journal_mode, pragma_synchronous';
  expect((await things.run({ sql, values: [] })).rows).toEqual([{ mode: 'wal', synchronous: 2n }]);
  await things.close();
});

test('a path that is not a file is refused', async () => {
  const folder = await makeFolder();
  for (const path of ['/dev/null', folder])
    await expect(openThings(path)).rejects.toThrow(
      `DATABASE_URL: ${path} cannot be used: it is no file; name another`,
    );
});

test('opening a file without a store for reading does not turn it into a store', async () => {
  const path = await makePath();
  writeFileSync(path, '');
  await expect(openThings(path, { mustExist: true })).rejects.toThrow(
    'it holds no shop; name the one that does',
  );
  expect(sizeOf(path)).toBe(0);
});

test('a file with an older schema keeps it when opened for reading', async () => {
  const path = await makePath();
  await (await openThings(path)).close();
  const migrations = [...SCHEMA.migrations, 'ALTER TABLE things ADD COLUMN colour TEXT'];
  const reader = await openEngine(`sqlite:${path}`, { ...SCHEMA, migrations }, { mustExist: true });
  const { rows } = await reader.read({ sql: 'SELECT user_version FROM pragma_user_version', values: [] });
  expect(rows).toEqual([{ user_version: 1n }]);
  await reader.close();
});

describe('who may read', () => {
  const ALL = ['', '-wal', '-shm'];

  test('a new file, its log and its folders are their owner’s alone', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a', 'b ?#%é', 'store.db');
    const things = await openThings(path);
    await things.create({ id: 1n, name: 'Lamp' });
    expect(ALL.map((ending) => modeOf(path + ending))).toEqual(['600', '600', '600']);
    expect([join(folder, 'a'), dirname(path)].map(modeOf)).toEqual(['700', '700']);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['store.db', 'store.db-shm', 'store.db-wal']);
    await things.close();
  });

  test('a new file that a link leads to is its owner’s alone', async () => {
    const folder = await makeFolder();
    symlinkSync(join(folder, 'store.db'), join(folder, 'link.db'));
    const things = await openThings(join(folder, 'link.db'));
    await things.create({ id: 1n, name: 'Lamp' });
    expect(ALL.map((ending) => modeOf(join(folder, `store.db${ending}`)))).toEqual(['600', '600', '600']);
    await things.close();
  });

  test('files and folders that are there keep the mode that their owner gave them', async () => {
    const path = join(await makeFolder(), 'shared', 'store.db');
    mkdirSync(dirname(path), { mode: 0o750 });
    await (await openThings(path)).close();
    chmodSync(path, 0o640);
    const things = await openThings(path);
    await things.create({ id: 1n, name: 'Lamp' });
    expect(ALL.map((ending) => modeOf(path + ending))).toEqual(['640', '640', '640']);
    expect(modeOf(dirname(path))).toBe('750');
    await things.close();
  });
});

test('a store that must be there already is not made, nor is its folder', async () => {
  const path = join(await makeFolder(), 'typo', 'store.db');
  await expect(openThings(path, { mustExist: true })).rejects.toThrow(
    `DATABASE_URL: ${path} cannot be used: there is no such file`,
  );
  expect(existsSync(dirname(path))).toBe(false);
});

/** A process that opens the files that it is sent, and answers with the outcome. */
const startOpener = () => {
  const { child } = startProgram(`
    import { createInterface } from 'node:readline';
    import { openEngine } from '@trellis/data/internal';
    const open = async (path) => (await openEngine('sqlite:' + path, ${JSON.stringify(SCHEMA)})).close();
    for await (const path of createInterface({ input: process.stdin }))
      await open(path).then(() => console.log('opened'), (error) => console.log(error.message));`);
  return {
    async open(path: string): Promise<string> {
      child.stdin.write(`${path}\n`);
      return String((await once(child.stdout, 'data'))[0]);
    },
    end: () => child.stdin.end(),
  };
};

test('those who open a new file at the same time all may use it', async () => {
  const openers = [startOpener(), startOpener(), startOpener()];
  for (let round = 0; round < 30; round++) {
    const path = await makePath();
    const answers = await Promise.all(openers.map(({ open }) => open(path)));
    expect([...answers, modeOf(path)]).toEqual(['opened\n', 'opened\n', 'opened\n', '600']);
  }
  for (const { end } of openers) end();
}, 120_000);

test('a file that another program keeps locked is refused, and the remedy named', async () => {
  const path = await makePath();
  const other = new DatabaseSync(path);
  other.exec('BEGIN EXCLUSIVE');
  await expect(openThings(path)).rejects.toThrow(
    'database is locked; end the program that keeps it locked, or name another file',
  );
  other.close();
});

const makeForeign = (path: string, sql: string) => {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
};

test.each([
  [
    'no database',
    (path: string) => writeFileSync(path, 'not a database at all '.repeat(100)),
    'not a database',
  ],
  [
    'a database of another program',
    (path: string) => makeForeign(path, 'CREATE TABLE birds (id INTEGER)'),
    'another program; name another file',
  ],
  [
    'a newer database',
    (path: string) =>
      makeForeign(
        path,
        'CREATE TABLE things (id); PRAGMA application_id = 1397247824; PRAGMA user_version = 99',
      ),
    'schema version 99 and this program knows 1; run a newer program',
  ],
  [
    'a newer database in WAL mode',
    (path: string) =>
      makeForeign(
        path,
        'PRAGMA journal_mode = WAL; CREATE TABLE things (id); PRAGMA application_id = 1397247824; PRAGMA user_version = 99',
      ),
    'schema version 99',
  ],
])('a file that is %s is refused and unchanged', async (_what, make, reason) => {
  const path = await makePath();
  make(path);
  const before = readFileSync(path);
  await expect(openThings(path)).rejects.toThrow(reason);
  await expect(openThings(path)).rejects.toThrow(`DATABASE_URL: ${path} cannot be used`);
  expect(readFileSync(path).equals(before)).toBe(true);
});

(canMount() ? test : test.skip).each([
  ['a new file', false],
  ['a file that is there', true],
])('a full disk is refused with a remedy that speaks of room: %s', async (_what, isThere) => {
  const disk = await mountSmallDisk(await makeFolder());
  try {
    const path = join(disk.path, 'store.db');
    if (isThere) await (await openThings(path)).close();
    await disk.fill();
    await expect(openThings(path)).rejects.toThrow(/; make room on its disk, or name another file$/);
    await disk.clear();
    await (await openThings(path)).close();
  } finally {
    disk.unmount();
  }
});

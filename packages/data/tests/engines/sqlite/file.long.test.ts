import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { mountSmallDisk, whyNoSmallDisk } from '../../../../../scripts/support/small-disk.ts';
import { openDatabase } from '../../../src/engines/sqlite/file/database.ts';
import { modeOf, openThings, SCHEMA, sizeOf, useFolders } from './things.ts';

const { makeFolder, makePath } = useFolders();

test('a commit is on disk before it is acknowledged: WAL, synchronous FULL', async () => {
  const database = await openDatabase(await makePath(), SCHEMA);
  const read = (pragma: string) => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
  expect([read('journal_mode'), read('synchronous')]).toEqual(['wal', 2]);
  database.close();
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
  const steps = [...SCHEMA.steps, 'ALTER TABLE things ADD COLUMN colour TEXT'];
  const database = await openDatabase(path, { ...SCHEMA, steps }, { mustExist: true });
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
  database.close();
});

describe('who may read', () => {
  const ALL = ['', '-wal', '-shm'];

  test('a new file, its log and its folders are their owner’s alone', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a', 'b ?#%é', 'things.db');
    const things = await openThings(path);
    await things.create({ id: 1n, name: 'Lamp' });
    expect(ALL.map((ending) => modeOf(path + ending))).toEqual(['600', '600', '600']);
    expect([join(folder, 'a'), dirname(path)].map(modeOf)).toEqual(['700', '700']);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['things.db', 'things.db-shm', 'things.db-wal']);
    await things.close();
  });

  test('a new file that a link leads to is its owner’s alone', async () => {
    const folder = await makeFolder();
    symlinkSync(join(folder, 'things.db'), join(folder, 'link.db'));
    const things = await openThings(join(folder, 'link.db'));
    await things.create({ id: 1n, name: 'Lamp' });
    expect(ALL.map((ending) => modeOf(join(folder, `things.db${ending}`)))).toEqual(['600', '600', '600']);
    await things.close();
  });

  test('files and folders that are there keep the mode that their owner gave them', async () => {
    const path = join(await makeFolder(), 'shared', 'things.db');
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
  const path = join(await makeFolder(), 'typo', 'things.db');
  await expect(openThings(path, { mustExist: true })).rejects.toThrow(
    `DATABASE_URL: ${path} cannot be used: there is no such file`,
  );
  expect(existsSync(dirname(path))).toBe(false);
});

/** Acts as a separate process: a thread that opens and closes the files it is sent, and answers with the outcome. */
const startOpener = () => {
  const [tsx, here, schema] = [import.meta.resolve('tsx/esm/api'), import.meta.url, SCHEMA].map((each) =>
    JSON.stringify(each),
  );
  const worker = new Worker(
    `import(${tsx})
      .then(({ tsImport }) => tsImport('../../../src/engines/sqlite/file/database.ts', ${here}))
      .then(({ openDatabase }) => {
        const { parentPort } = require('node:worker_threads');
        const schema = ${schema};
        const open = (path) => openDatabase(path, schema).then((database) => database.close());
        parentPort.on('message', (path) =>
          open(path).then(() => parentPort.postMessage('opened'), (error) => parentPort.postMessage(error.message)));
        parentPort.postMessage('ready');
      });`,
    { eval: true },
  );
  return { worker, answer: async () => (await once(worker, 'message'))[0] };
};

test('those who open a new file at the same time all may use it', async () => {
  const openers = [startOpener(), startOpener(), startOpener()];
  const answers = () => Promise.all(openers.map(({ answer }) => answer()));
  await answers();
  const rounds: unknown[] = [];
  const modes = new Set<string>();
  for (let round = 0; round < 100; round++) {
    const path = await makePath();
    for (const { worker } of openers) worker.postMessage(path);
    rounds.push(...(await answers()));
    modes.add(modeOf(path));
  }
  await Promise.all(openers.map(({ worker }) => worker.terminate()));
  expect(rounds).toEqual(Array.from({ length: 300 }, () => 'opened'));
  expect([...modes]).toEqual(['600']);
});

test('a file that another program keeps locked is refused, and the remedy named', async () => {
  const path = await makePath();
  const other = new DatabaseSync(path);
  other.exec('BEGIN EXCLUSIVE');
  await expect(openThings(path)).rejects.toThrow(
    'database is locked; end the program that keeps it locked, or name another file',
  );
  other.close();
});

test('the folder of the file is made on first use', async () => {
  const path = join(await makeFolder(), 'a', 'b', 'things.db');
  const things = await openThings(path);
  expect(statSync(path).isFile()).toBe(true);
  await things.close();
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

(whyNoSmallDisk() === undefined ? test : test.skip).each([
  ['a new file', false],
  ['a file that is there', true],
])('a full disk is refused with a remedy that speaks of room: %s', async (_what, isThere) => {
  const disk = await mountSmallDisk(await makeFolder(), 1);
  try {
    const path = join(disk.path, 'things.db');
    if (isThere) await (await openThings(path)).close();
    await disk.fill();
    await expect(openThings(path)).rejects.toThrow(/; make room on its disk, or name another file$/);
    await disk.clear();
    await (await openThings(path)).close();
  } finally {
    disk.unmount();
  }
});

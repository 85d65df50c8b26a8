import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { mountSmallDisk, whyNoSmallDisk } from '../../scripts/support/small-disk.ts';
import { protect, unprotect, whyNoWriteProtection } from '../../scripts/support/write-protection.ts';
import { type PlantRepository, StoreUnavailable } from '../../src/plants/repository.ts';
import { openRepository } from '../../src/storage/open.ts';
import { openSqliteRepository } from '../../src/storage/sqlite.ts';
import { openDatabase } from '../../src/storage/sqlite-file.ts';
import { until } from '../support/postgres/conditions.ts';
import { LIMITS } from '../support/postgres/postgres.ts';
import { post, type Service, startService } from '../support/service.ts';
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

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const sizeOf = (path: string): number => statSync(path).size;

test('plants are in the file, ids to the last digit', async () => {
  const path = await makePath();
  const plants = await openSqliteRepository(path);
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
  const plants = await openSqliteRepository(path);
  await plants.create({ id: 1n, name: 'Fern', tag: 'shade' });
  await plants.create({ id: 1n, name: 'Fern', tag: 'shade' });
  expect(readRows(path)).toEqual([{ id: '1', name: 'Fern', tag: 'shade' }]);
  await plants.close();
});

test('a commit is on disk before it is acknowledged: WAL, synchronous FULL', async () => {
  const database = await openDatabase(await makePath());
  const read = (pragma: string) => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
  expect([read('journal_mode'), read('synchronous')]).toEqual(['wal', 2]);
  database.close();
});

test('plants are there again after the store was closed and opened', async () => {
  const path = await makePath();
  const before = await openSqliteRepository(path);
  await before.create({ id: 1n, name: 'Fern' });
  await before.close();
  const after = await openSqliteRepository(path);
  expect(await after.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
  await after.close();
});

test('what is committed moves from the log into the file as creates go by', async () => {
  const path = await makePath();
  const plants = await openSqliteRepository(path);
  for (let first = 0n; first < 3000n; first += 100n)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => plants.create({ id: first + BigInt(index), name: 'Fern' })),
    );
  await plants.check(); // asked after the last batch, so answered after whatever that batch was followed by
  const alone = join(await makeFolder(), 'without-log.db');
  copyFileSync(path, alone);
  expect(readRows(alone).length).toBeGreaterThan(2400);
  await plants.close();
});

/** Somebody who reads one view of a file until told to go. */
const holdView = (path: string) => {
  const other = new DatabaseSync(path);
  other.exec('BEGIN');
  other.prepare('SELECT 1 FROM plants LIMIT 1').get();
  return () => other.close();
};

describe('a log that grows while somebody reads', () => {
  const MEBIBYTE = 2 ** 20;
  let next = 0n;
  const createMany = (plants: PlantRepository, count: number, name: string) =>
    Promise.all(Array.from({ length: count }, () => plants.create({ id: next++, name })));

  const openWithLongLog = async () => {
    const path = await makePath();
    const plants = await openSqliteRepository(path);
    const letGo = holdView(path);
    for (let round = 0; round < 16; round++) await createMany(plants, 64, 'x'.repeat(50_000));
    expect(sizeOf(`${path}-wal`)).toBeGreaterThan(40 * MEBIBYTE);
    return { path, plants, letGo };
  };

  test('is in the file, and short again, soon after the reader has gone', async () => {
    const { path, plants, letGo } = await openWithLongLog();
    letGo();
    await until('the log is short', async () => {
      await createMany(plants, 60, 'Fern');
      return sizeOf(`${path}-wal`) <= 16 * MEBIBYTE || undefined;
    });
    const alone = join(await makeFolder(), 'without-log.db');
    copyFileSync(path, alone);
    expect(readRows(alone).length).toBeGreaterThan(1024);
    await plants.close();
  });

  test('keeps no store from closing, and nothing is lost', async () => {
    const { path, plants, letGo } = await openWithLongLog();
    await createMany(plants, 60, 'Fern');
    await plants.close();
    expect(readRows(path)).toHaveLength(1024 + 60);
    letGo();
    const again = await openSqliteRepository(path);
    expect(await again.create({ id: next - 1n, name: 'Fern' })).toBe('unchanged');
    await again.close();
  });

  test('does not grow by checks alone', async () => {
    const path = await makePath();
    const plants = await openSqliteRepository(path);
    for (let times = 0; times < 500; times++) expect(await plants.check()).toBeUndefined();
    expect(sizeOf(`${path}-wal`)).toBeLessThan(MEBIBYTE);
    await plants.close();
  });
});

describe('what SQLite would not keep in a file of that name', () => {
  test.each([
    ':memory:',
    'file:plants?mode=memory',
    'file::memory:',
    'file:plants.db',
    'file:///tmp/plants.db',
  ])('is refused with the remedy: sqlite:%s', async (path) => {
    const remedy = `DATABASE_URL: ${path} cannot be used: SQLite takes it for no plain path; use memory: for a store that ends with the process, or a path, as in sqlite:data/plants.db`;
    for (const options of [{}, { bulk: true }, { mustExist: true }])
      await expect(openRepository(`sqlite:${path}`, LIMITS, options)).rejects.toThrow(remedy);
  });

  test('is refused with the remedy: no path at all', async () => {
    await expect(openRepository('sqlite:', LIMITS)).rejects.toThrow(
      'use sqlite:PATH, postgres://… or memory:',
    );
  });

  test('is refused: what is no file', async () => {
    const folder = await makeFolder();
    for (const path of ['/dev/null', folder])
      await expect(openSqliteRepository(path)).rejects.toThrow(
        `DATABASE_URL: ${path} cannot be used: it is no file; name another`,
      );
  });
});

test('a file that holds no store is not made one by those who only read', async () => {
  const path = await makePath();
  writeFileSync(path, '');
  await expect(openSqliteRepository(path, { mustExist: true })).rejects.toThrow(
    'it holds no plant store; name the one that does',
  );
  expect(sizeOf(path)).toBe(0);
});

describe('who may read', () => {
  const ALL = ['', '-wal', '-shm'];

  test('a new file, its log and its folders are their owner’s alone', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a', 'b ?#%é', 'plants.db');
    const plants = await openSqliteRepository(path);
    await plants.create({ id: 1n, name: 'Fern' });
    expect(ALL.map((ending) => modeOf(path + ending))).toEqual(['600', '600', '600']);
    expect([join(folder, 'a'), dirname(path)].map(modeOf)).toEqual(['700', '700']);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['plants.db', 'plants.db-shm', 'plants.db-wal']);
    await plants.close();
  });

  test('a new file that a link leads to is its owner’s alone', async () => {
    const folder = await makeFolder();
    symlinkSync(join(folder, 'plants.db'), join(folder, 'link.db'));
    const plants = await openSqliteRepository(join(folder, 'link.db'));
    await plants.create({ id: 1n, name: 'Fern' });
    expect(ALL.map((ending) => modeOf(join(folder, `plants.db${ending}`)))).toEqual(['600', '600', '600']);
    await plants.close();
  });

  test('files and folders that are there keep the mode that their owner gave them', async () => {
    const path = join(await makeFolder(), 'shared', 'plants.db');
    mkdirSync(dirname(path), { mode: 0o750 });
    await (await openSqliteRepository(path)).close();
    chmodSync(path, 0o640);
    const plants = await openSqliteRepository(path);
    await plants.create({ id: 1n, name: 'Fern' });
    expect(ALL.map((ending) => modeOf(path + ending))).toEqual(['640', '640', '640']);
    expect(modeOf(dirname(path))).toBe('750');
    await plants.close();
  });
});

test('a store that must be there already is not made, nor is its folder', async () => {
  const path = join(await makeFolder(), 'typo', 'plants.db');
  await expect(openSqliteRepository(path, { mustExist: true })).rejects.toThrow(
    `DATABASE_URL: ${path} cannot be used: there is no such file`,
  );
  expect(existsSync(dirname(path))).toBe(false);
});

test('a read that fails is told as the store being unavailable', async () => {
  const path = await makePath();
  const plants = await openSqliteRepository(path);
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE plants RENAME TO away');
  other.close();
  await expect(async () => {
    for await (const plant of plants.all()) expect(plant).toBeUndefined();
  }).rejects.toBeInstanceOf(StoreUnavailable);
  await plants.close();
});

test('two stores on one file agree who holds an id', async () => {
  const path = await makePath();
  const [one, other] = await Promise.all([openSqliteRepository(path), openSqliteRepository(path)]);
  const outcomes = await Promise.all(
    [one, other].flatMap((store, index) =>
      Array.from({ length: 20 }, (_, id) => store.create({ id: BigInt(id), name: `from ${index}` })),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(20);
  expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(20);
  await Promise.all([one.close(), other.close()]);
});

/** A process of its own in all but name: opens and closes the files it is told, and says how that went. */
const startOpener = () => {
  const [tsx, here] = [import.meta.resolve('tsx/esm/api'), import.meta.url].map((each) =>
    JSON.stringify(each),
  );
  const worker = new Worker(
    `import(${tsx})
      .then(({ tsImport }) => tsImport('../../src/storage/sqlite-file.ts', ${here}))
      .then(({ openDatabase }) => {
        const { parentPort } = require('node:worker_threads');
        const open = (path) => openDatabase(path).then((database) => database.close());
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
  await expect(openSqliteRepository(path)).rejects.toThrow(
    'database is locked; end the program that keeps it locked, or name another file',
  );
  other.close();
});

test('the folder of the file is made on first use', async () => {
  const path = join(await makeFolder(), 'a', 'b', 'plants.db');
  const plants = await openSqliteRepository(path);
  expect(statSync(path).isFile()).toBe(true);
  await plants.close();
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
        'CREATE TABLE plants (id); PRAGMA application_id = 1347178068; PRAGMA user_version = 99',
      ),
    'schema version 99 and this program knows 1; run a newer program',
  ],
  [
    'a newer database in WAL mode',
    (path: string) =>
      makeForeign(
        path,
        'PRAGMA journal_mode = WAL; CREATE TABLE plants (id); PRAGMA application_id = 1347178068; PRAGMA user_version = 99',
      ),
    'schema version 99',
  ],
])('a file that is %s is refused, and left as it was', async (_what, make, reason) => {
  const path = await makePath();
  make(path);
  const before = readFileSync(path);
  await expect(openSqliteRepository(path)).rejects.toThrow(reason);
  await expect(openSqliteRepository(path)).rejects.toThrow(`DATABASE_URL: ${path} cannot be used`);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a create that cannot be committed is refused as unavailable, and works once it can', async () => {
  const path = await makePath();
  const plants = await openSqliteRepository(path);
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE plants RENAME TO away');
  await expect(plants.create({ id: 1n, name: 'Fern' })).rejects.toBeInstanceOf(StoreUnavailable);
  other.exec('ALTER TABLE away RENAME TO plants');
  other.close();
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  await plants.close();
});

test('whoever asks for something else does not wait for the disk', async () => {
  const path = await makePath();
  const service = await startService({ plants: await openSqliteRepository(path) });
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

describe('a file that is taken away under a running service', () => {
  const create = (id: number) =>
    post(service, JSON.stringify({ id, name: 'Fern' })).then(({ status }) => status);
  const ready = () => fetch(`${service.url}/readyz`).then(({ status }) => status);
  let service: Service;
  const startOn = async (path: string) => {
    service = await startService({ plants: await openSqliteRepository(path) });
  };
  afterEach(() => service.close());
  const idsIn = (path: string) => readRows(path).map(({ id }) => id);

  test.each([
    ['the file and its log', ['', '-wal', '-shm']],
    ['the file alone', ['']],
  ])('is told by the next create, and made anew for the one after: %s', async (_what, endings) => {
    const path = await makePath();
    await startOn(path);
    expect(await create(1)).toBe(200);
    for (const ending of endings) rmSync(`${path}${ending}`);
    expect([await create(2), await create(3)]).toEqual([503, 200]);
    expect(idsIn(path)).toEqual(['3']);
    const cause = { message: `${path} or its log was removed or replaced` };
    expect(service.logged).toMatchObject([{ err: { cause: { cause } } }]);
  });

  test('is told by /readyz, which has it made anew', async () => {
    const path = await makePath();
    await startOn(path);
    rmSync(path);
    expect([await ready(), await ready()]).toEqual([503, 200]);
    expect(existsSync(path)).toBe(true);
  });

  test('is used again where it is put back, with all that was committed to it', async () => {
    const path = await makePath();
    await startOn(path);
    expect(await create(1)).toBe(200);
    renameSync(path, `${path}.away`);
    expect(await create(2)).toBe(503);
    renameSync(`${path}.away`, path);
    expect(await create(3)).toBe(200);
    expect(idsIn(path)).toEqual(['1', '2', '3']); // the second was on disk, and could not be promised
  });

  test('gives way to the one that replaces it, whose content its log leaves alone', async () => {
    const path = await makePath();
    const backup = await openSqliteRepository(`${path}.backup`);
    for (let id = 100n; id < 400n; id++) await backup.create({ id, name: 'x'.repeat(100) });
    await backup.close();
    await startOn(path);
    for (let id = 0; id < 50; id++) expect(await create(id)).toBe(200);
    renameSync(`${path}.backup`, path);
    expect([await create(51), await create(52)]).toEqual([503, 200]);
    expect(idsIn(path)).toEqual(['52', ...Array.from({ length: 300 }, (_, index) => `${index + 100}`)]);
  });

  test('keeps what was acknowledged where its log alone is taken away', async () => {
    const path = await makePath();
    await startOn(path);
    expect(await create(1)).toBe(200);
    rmSync(`${path}-wal`);
    expect([await create(2), await create(3)]).toEqual([503, 200]);
    expect(idsIn(path)).toEqual(['1', '2', '3']);
  });
});

/** Root may write to what nobody may write to, unless the file is made immutable. */
const isRoot = process.getuid?.() === 0;
const makeReadOnly = (path: string) => (isRoot ? protect([path]) : chmodSync(path, 0o444));
const makeWritable = (path: string) => (isRoot ? unprotect([path]) : chmodSync(path, 0o644));
const testReadOnly = isRoot && whyNoWriteProtection() !== undefined ? test.skip : test;

testReadOnly(
  'a file that cannot be written to is refused with the remedy, and nothing is left beside it',
  async () => {
    const path = await makePath();
    await (await openSqliteRepository(path)).close();
    makeReadOnly(path);
    const refusal = await openSqliteRepository(path).catch((error: unknown) => error);
    makeWritable(path);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(
        /cannot be used: .*; let this user write to it and to its folder, or name/,
      ),
    });
    expect(readdirSync(dirname(path))).toEqual(['plants.db']);
  },
);

testReadOnly('a file that can only be read is served again once it can be written to', async () => {
  const path = await makePath();
  const away = `${path}.away`;
  const plants = await openSqliteRepository(path);
  await plants.create({ id: 1n, name: 'Fern' });
  renameSync(path, away);
  expect(await plants.check()).toBe('failing');
  renameSync(away, path);
  makeReadOnly(path);
  const whileReadOnly = [await plants.check(), await plants.check()];
  makeWritable(path);
  expect(whileReadOnly).toEqual(['readonly', 'readonly']);
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
  await plants.close();
});

testReadOnly('what SQLite opened to be read only is opened again once it can be written to', async () => {
  const path = await makePath();
  await (await openSqliteRepository(path)).close();
  writeFileSync(`${path}-wal`, '');
  makeReadOnly(`${path}-wal`);
  const plants = await openSqliteRepository(path);
  const whileReadOnly = await plants.create({ id: 1n, name: 'Fern' }).catch((error: unknown) => error);
  makeWritable(`${path}-wal`);
  expect(whileReadOnly).toMatchObject({ reason: 'readonly' });
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  await plants.close();
});

test('a file that cannot be opened costs a few threads a second, however many creates come', async () => {
  const path = await makePath();
  const store = JSON.stringify(new URL('../../dist/src/storage/sqlite.js', import.meta.url));
  // Built, since threads of the sources take their time to start by themselves; and with a process that tells of them.
  const program = `
    import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
    import { openSqliteRepository } from ${store};
    const path = ${JSON.stringify(path)};
    const plants = await openSqliteRepository(path);
    const create = (id) => plants.create({ id, name: 'Fern' }).catch(({ reason }) => reason);
    renameSync(path, path + '.away');
    mkdirSync(path);
    let threads = 0;
    process.on('worker', () => { threads += 1; });
    const seen = new Set();
    for (const end = performance.now() + 2000; performance.now() < end; ) seen.add(await create(1n));
    rmdirSync(path);
    renameSync(path + '.away', path);
    console.log(JSON.stringify({ threads, seen: [...seen], after: await create(2n) }));
    await plants.close();`;
  const file = join(await makeFolder(), 'flood.mjs');
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { threads, ...told } = JSON.parse(await text(child.stdout));
  expect(told).toEqual({ seen: ['failing'], after: 'created' });
  expect(threads).toBeLessThan(12);
});

describe('a disk that does not answer', () => {
  /** Nothing is written until this is over, as on such a disk. */
  const holdUp = (path: string) => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    return () => other.close();
  };
  const reasonOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => (error instanceof StoreUnavailable ? error.reason : error),
    );

  test('keeps creates waiting for a bounded time, and serves again once it answers', async () => {
    const path = await makePath();
    const plants = await openSqliteRepository(path, {}, 200);
    const letGo = holdUp(path);
    const create = (id: bigint) => plants.create({ id, name: 'Fern' });
    expect(await reasonOf(create(1n))).toBe('timeout');
    expect(await reasonOf(create(2n))).toBe('timeout');
    expect(await plants.check()).toBe('timeout');
    letGo();
    await until('the store serves', async () => (await plants.check()) === undefined || undefined);
    expect(await Promise.all([create(1n), create(2n)])).toEqual(['unchanged', 'created']);
    await plants.close();
  });

  test('does not keep the process from ending', async () => {
    const path = await makePath();
    await (await openSqliteRepository(path)).close();
    const letGo = holdUp(path);
    const store = JSON.stringify(new URL('../../src/storage/sqlite.ts', import.meta.url));
    const program = `
      import { openSqliteRepository } from ${store};
      const plants = await openSqliteRepository(${JSON.stringify(path)}, {}, 200);
      await plants.create({ id: 1n, name: 'Fern' }).catch(({ reason }) => console.log(reason));
      await plants.close();
      console.log('closed');`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = text(child.stdout);
    const [code, signal] = await once(child, 'close');
    letGo();
    expect({ said: await said, code, signal }).toEqual({
      said: 'timeout\nclosed\n',
      code: null,
      signal: 'SIGKILL', // by its own hand: Node would wait for the thread
    });
  });
});

(whyNoSmallDisk() === undefined ? test : test.skip).each([
  ['a new file', false],
  ['a file that is there', true],
])('a full disk is refused with a remedy that speaks of room: %s', async (_what, isThere) => {
  const disk = await mountSmallDisk(await makeFolder(), 1);
  try {
    const path = join(disk.path, 'plants.db');
    if (isThere) await (await openSqliteRepository(path)).close();
    await disk.fill();
    await expect(openSqliteRepository(path)).rejects.toThrow(
      /; make room on its disk, or name another file$/,
    );
    await disk.clear();
    await (await openSqliteRepository(path)).close();
  } finally {
    disk.unmount();
  }
});

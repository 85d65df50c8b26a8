import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { startProcess } from '../../scripts/support/service.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../scripts/support/small-disk.ts';
import { backUpPlants } from '../../src/commands/backup.ts';
import { makeLines, runCli, startCli } from '../service/support/cli.ts';
import { post } from '../service/support/service.ts';
import { until } from '../support/postgres/conditions.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();
const SETTINGS = { ACCESS_TOKENS: TOKEN, LOG_LEVEL: 'warn' };

/** Makes a folder with a store in data/plants.db that holds these plants. */
const makeStore = async (lines = makeLines(100)): Promise<string> => {
  const cwd = await makeFolder();
  expect((await runCli(cwd, ['import', '-'], {}, lines)).code).toBe(0);
  return cwd;
};

/** Queries a SQLite file from another process. */
const ask = (path: string, sql: string): unknown[] => {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows.map((row) => Object.values(row)[0]);
};

/** Creates plants until told to stop; keeps which were acknowledged, and what else was answered. */
const startClients = (service: { readonly url: string }, count: number) => {
  const acknowledged: number[] = [];
  const refused: number[] = [];
  let next = 0;
  let isOver = false;
  const create = async (): Promise<void> => {
    while (!isOver) {
      const id = next++;
      const { status } = await post(service, JSON.stringify({ id, name: `plant ${id} ${'x'.repeat(500)}` }));
      (status === 200 ? acknowledged : refused).push(id);
    }
  };
  const clients = Array.from({ length: count }, create);
  return {
    acknowledged,
    refused,
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(clients);
    },
  };
};

test('a backup under load holds all writes acknowledged before, blocks no client, and can be served', async () => {
  const cwd = await makeFolder();
  const service = await startProcess(cwd, { ...SETTINGS, LOG_LEVEL: 'info' });
  const clients = startClients(service, 16);
  await until('many are created', async () => clients.acknowledged.length > 2000 || undefined, 60_000);
  const before = [...clients.acknowledged];
  const { code, stdout, stderr } = await runCli(cwd, ['backup', 'copy.db']);
  const after = clients.acknowledged.length;
  await until('more are created', async () => clients.acknowledged.length > after + 200 || undefined, 60_000);
  await clients.stop();
  expect(await service.end()).toBe(0);
  expect({ code, stderr, refused: clients.refused }).toEqual({ code: 0, stderr: '', refused: [] });
  expect(after).toBeGreaterThan(before.length);

  const copy = join(cwd, 'copy.db');
  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(cwd).toSorted()).toEqual(['copy.db', 'data']);
  expect(ask(copy, 'PRAGMA integrity_check')).toEqual(['ok']);
  const ids = new Set(ask(copy, 'SELECT id FROM plants'));
  expect(before.filter((id) => !ids.has(id))).toEqual([]);
  const plants = ids.size.toLocaleString('en');
  const bytes = statSync(copy).size.toLocaleString('en');
  expect(stdout).toMatch(new RegExp(`^copy\\.db: ${plants} plants, ${bytes} bytes, in [\\d.]+ s\\n$`));

  const restored = await makeFolder();
  mkdirSync(join(restored, 'data'));
  copyFileSync(copy, join(restored, 'data/plants.db'));
  const again = await startProcess(restored, { ...SETTINGS, LOG_LEVEL: 'info' });
  const answers = await Promise.all(
    [`{"id":${before[0]},"name":"another"}`, '{"id":-1,"name":"Fern"}'].map((body) => post(again, body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([409, 200]);
  expect(await again.end()).toBe(0);
}, 120_000);

test('counting the plants of a backup does not change it', async () => {
  const cwd = await makeStore();
  expect((await runCli(cwd, ['backup', 'copy.db'])).code).toBe(0);
  const before = statSync(join(cwd, 'copy.db')).mtimeMs;
  const { stderr } = await runCli(cwd, ['export'], { DATABASE_URL: 'sqlite:copy.db' });
  expect(stderr).toBe('plants exported: 100\n');
  expect(statSync(join(cwd, 'copy.db')).mtimeMs).toBe(before);
  expect(ask(join(cwd, 'copy.db'), 'PRAGMA journal_mode')).toEqual(['delete']);
  expect(readdirSync(cwd).toSorted()).toEqual(['copy.db', 'data']);
});

test('a backup of a backup, and of a store without a service, is a backup', async () => {
  const cwd = await makeStore();
  expect((await runCli(cwd, ['backup', 'one.db'])).code).toBe(0);
  const { stdout } = await runCli(cwd, ['backup', 'other.db'], { DATABASE_URL: 'sqlite:one.db' });
  expect(stdout).toMatch(/^other\.db: 100 plants, /);
});

test.each([
  [
    'a file that is there',
    'there.db',
    {},
    'there.db is there already; name another file, or move that one away',
  ],
  [
    'a folder that is not there',
    'no/copy.db',
    {},
    'no/copy.db cannot be written: there is no such folder; make it first',
  ],
  [
    'a store that is not there',
    'copy.db',
    { DATABASE_URL: 'sqlite:no.db' },
    'DATABASE_URL: no.db cannot be used: there is no such file',
  ],
  [
    'a store in memory',
    'copy.db',
    { DATABASE_URL: 'memory:' },
    'DATABASE_URL names data that ends with its process; name data in a file, as in sqlite:data/store.db',
  ],
  [
    'what SQLite keeps in memory',
    'copy.db',
    { DATABASE_URL: 'sqlite::memory:' },
    'DATABASE_URL: :memory: cannot be used: SQLite takes it for no plain path; use memory: for a store that ends with the process, or a path, as in sqlite:data/store.db',
  ],
  [
    'PostgreSQL',
    'copy.db',
    { DATABASE_URL: 'postgres://alice:s3cret@127.0.0.1:1/plants' },
    'DATABASE_URL names PostgreSQL, which has its own tools; use pg_dump --file=FILE "$DATABASE_URL"',
  ],
])('is refused with the remedy, and nothing is left: %s', async (_what, file, settings, sentence) => {
  const cwd = await makeStore();
  writeFileSync(join(cwd, 'there.db'), 'precious');
  expect(await runCli(cwd, ['backup', file], settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: `plant-store backup: ${sentence}\n`,
  });
  expect(readdirSync(cwd).toSorted()).toEqual(['data', 'there.db']);
  expect(statSync(join(cwd, 'there.db')).size).toBe('precious'.length);
});

describe('a backup that does not get to its end', () => {
  /** Locks the store until this is over: a backup has begun by then, and is not complete. */
  const startHeldUp = async () => {
    const cwd = await makeStore();
    const other = new DatabaseSync(join(cwd, 'data/plants.db'));
    other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    const { child, finish } = startCli(cwd, ['backup', 'copy.db']);
    const done = finish();
    const partial = await until('it has begun', async () =>
      readdirSync(cwd).find((name) => /^copy\.db\.[0-9a-f]{12}\.partial$/.test(name)),
    );
    expect((statSync(join(cwd, partial)).mode & 0o777).toString(8)).toBe('600');
    return { cwd, child, done, letGo: () => other.close() };
  };

  test.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing after %s, and says so', async (signal) => {
    const { cwd, child, done, letGo } = await startHeldUp();
    child.kill(signal);
    expect((await done).stderr).toBe('plant-store backup: stopped; no copy was made\n');
    expect(child.signalCode).toBe(signal);
    letGo();
    expect(readdirSync(cwd)).toEqual(['data']);
  });

  test('leaves no file of that name after kill -9', async () => {
    const { cwd, child, done, letGo } = await startHeldUp();
    child.kill('SIGKILL');
    await done;
    letGo();
    expect(existsSync(join(cwd, 'copy.db'))).toBe(false);
  });

  test('keeps a file that was created under its name meanwhile', async () => {
    const { cwd, done, letGo } = await startHeldUp();
    writeFileSync(join(cwd, 'copy.db'), 'precious');
    letGo();
    const { code, stderr } = await done;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'plant-store backup: copy.db is there already; name another file, or move that one away\n',
    });
    expect(statSync(join(cwd, 'copy.db')).size).toBe('precious'.length);
    expect(readdirSync(cwd).toSorted()).toEqual(['copy.db', 'data']);
  });

  (whyNoSmallDisk() === undefined ? test : test.skip)('leaves nothing on a full disk', async () => {
    const cwd = await makeStore(makeLines(20_000, (id) => `{"id":${id},"name":"${'x'.repeat(200)}"}`));
    const disk = await mountSmallDisk(await makeFolder(), 1);
    try {
      const file = join(disk.path, 'copy.db');
      expect(await runCli(cwd, ['backup', file])).toEqual({
        code: 1,
        stdout: '',
        stderr: `plant-store backup: ${file} cannot be written: database or disk is full; make room on its disk, or name a file on another\n`,
      });
      expect(readdirSync(disk.path)).toEqual([]);
    } finally {
      disk.unmount();
    }
  });
});

test('a terminal is shown how far a backup has come', async () => {
  const cwd = await makeStore();
  const other = new DatabaseSync(join(cwd, 'data/plants.db'));
  other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  const shown: string[] = [];
  const screen = { isTTY: true, write: (text: string) => shown.push(text) };
  const url = `sqlite:${join(cwd, 'data/plants.db')}`;
  const done = backUpPlants(url, join(cwd, 'copy.db'), screen, new AbortController().signal);
  await until('it has shown something', async () => shown[0]);
  other.close();
  expect(await done).toMatch(/copy\.db: 100 plants, /);
  expect(shown[0]).toBe('\r\u001b[K0 MiB of about 0');
  expect(shown.at(-1)).toBe('\r\u001b[K');
});

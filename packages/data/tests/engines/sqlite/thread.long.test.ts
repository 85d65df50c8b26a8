import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { build } from 'esbuild';
import { until } from '../../../../../tests/support/postgres/conditions.ts';
import { ROOT } from '../../../../../tests/support/scratch.ts';
import { StoreUnavailable } from '../../../src/engines/errors.ts';
import { INSERT, openThings, SCHEMA, useFolders } from './things.ts';

const { makeFolder, makePath } = useFolders();

test('two stores on one file agree who holds an id', async () => {
  const path = await makePath();
  const [one, other] = await Promise.all([openThings(path), openThings(path)]);
  const outcomes = await Promise.all(
    [one, other].flatMap((store, index) =>
      Array.from({ length: 20 }, (_, id) => store.create({ id: BigInt(id), name: `from ${index}` })),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(20);
  expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(20);
  await Promise.all([one.close(), other.close()]);
});

/** Bundles the engine and its thread, as a program has them. */
const buildEngine = async (folder: string): Promise<void> => {
  const modules = ['open', 'thread'];
  await build({
    entryPoints: modules.map((name) =>
      fileURLToPath(new URL(`../../../src/engines/sqlite/${name}.ts`, import.meta.url)),
    ),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    external: ['@photostructure/sqlite'],
  });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
};

test('a file that cannot be opened costs a few threads a second, however many creates come', async () => {
  const path = await makePath();
  const folder = await makeFolder();
  await buildEngine(folder);
  // Built, since threads start slowly from sources; in a separate process that counts its threads.
  const program = `
    import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
    import { openSqliteSql } from './open.js';
    const path = ${JSON.stringify(path)};
    const things = await openSqliteSql(path, ${JSON.stringify(SCHEMA)});
    const create = (id) => things.run({ sql: ${JSON.stringify(INSERT)}, values: [id, 'Lamp'] }).then(() => 'created', ({ reason }) => reason);
    renameSync(path, path + '.away');
    mkdirSync(path);
    let threads = 0;
    process.on('worker', () => { threads += 1; });
    const seen = new Set();
    for (const end = performance.now() + 2000; performance.now() < end; ) seen.add(await create(1n));
    rmdirSync(path);
    renameSync(path + '.away', path);
    console.log(JSON.stringify({ threads, seen: [...seen], after: await create(2n) }));
    await things.close();`;
  const file = join(folder, 'flood.mjs');
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
    const things = await openThings(path, {}, 200);
    await until('reads are served', () => things.all().then(Boolean, () => undefined)); // the thread that reads has started
    const letGo = holdUp(path);
    const create = (id: bigint) => things.create({ id, name: 'Lamp' });
    expect(await reasonOf(create(1n))).toBe('timeout');
    expect(await reasonOf(create(2n))).toBe('timeout');
    expect(await things.check()).toBe('timeout');
    letGo();
    await until('the store serves', async () => (await things.check()) === undefined || undefined);
    expect(await Promise.all([create(1n), create(2n)])).toEqual(['unchanged', 'created']);
    await things.close();
  });

  test('does not keep the process from ending', async () => {
    const path = await makePath();
    await (await openThings(path)).close();
    const letGo = holdUp(path);
    const engine = JSON.stringify(new URL('../../../src/engines/sqlite/open.ts', import.meta.url));
    const program = `
      import { openSqliteSql } from ${engine};
      const things = await openSqliteSql(${JSON.stringify(path)}, ${JSON.stringify(SCHEMA)}, {}, 200);
      await things.run({ sql: ${JSON.stringify(INSERT)}, values: [1n, 'Lamp'] }).catch(({ reason }) => console.log(reason));
      await things.close();
      console.log('closed');`;
    const child = spawn(
      process.execPath,
      ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', program],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
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

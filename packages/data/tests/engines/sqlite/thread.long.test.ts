import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { DatabaseSync } from '@photostructure/sqlite';
import { StoreUnavailable } from '@trellis/data';
import { startProgram, until, useFolders } from '../../support/files.ts';
import { openThings, SCHEMA } from './things.ts';

const { makePath } = useFolders();

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
    const things = await openThings(path, { timeout: 200 });
    await until('reads are served', async () => (await things.read({ sql: 'SELECT 1', values: [] })).rows[0]); // their thread has started
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
    const { child } = startProgram(`
      import { openEngine } from '@trellis/data/internal';
      const things = await openEngine(${JSON.stringify(`sqlite:${path}`)}, ${JSON.stringify(SCHEMA)}, { timeout: 200 });
      console.log(await things.check());
      await things.close();
      console.log('closed');`);
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

test('a thread that fails ends the process with one line', async () => {
  const path = await makePath();
  const { child } = startProgram(`
    import { openEngine } from '@trellis/data/internal';
    process.on('worker', (worker) => setTimeout(() => worker.postMessage(null), 2000)); // makes it throw
    const things = await openEngine(${JSON.stringify(`sqlite:${path}`)}, ${JSON.stringify(SCHEMA)});
    setInterval(() => {}, 1000);`);
  const said = text(child.stderr);
  const [code] = await once(child, 'close');
  expect({ code, said: await said }).toEqual({
    code: 1,
    said: expect.stringMatching(/^DATABASE_URL: .*: the thread of SQLite has failed: .*; start again\n$/m),
  });
}, 60_000);

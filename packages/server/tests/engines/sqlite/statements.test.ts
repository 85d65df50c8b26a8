import { StoreUnavailable } from '../../../src/engines/errors.ts';
import { openSqliteEngine } from '../../../src/engines/sqlite/open.ts';
import {
  DELETE,
  INSERT,
  openThings,
  readRows,
  SAME,
  SCHEMA,
  SELECT,
  type Thing,
  type Things,
  useFolders,
} from './things.ts';

const { makePath } = useFolders();
let path: string;
let things: Things;
beforeEach(async () => {
  path = await makePath();
  things = await openThings(path);
});
afterEach(() => things.close());

test('a write tells which of its statements changed or found a row, or that none did', async () => {
  const write = (id: bigint, name: string) => things.write([INSERT, SAME], [id, name]);
  expect([await write(1n, 'Lamp'), await write(1n, 'Lamp'), await write(1n, 'Chair')]).toEqual([0, 1, -1]);
});

test('a statement that only finds is not taken for one that changes, whatever was changed before it', async () => {
  const writes = [things.write([INSERT], [1n, 'Lamp']), things.write([SAME], [2n, 'Chair'])];
  expect(await Promise.all(writes)).toEqual([0, -1]);
});

test('a statement that returns what it changed has changed it', async () => {
  const insert = `${INSERT} RETURNING id`;
  expect(await things.write([insert], [1n, 'Lamp'])).toBe(0);
  expect(await things.write([insert], [1n, 'Lamp'])).toBe(-1);
});

test('a delete is told like a create, and is in the file', async () => {
  await things.create({ id: 1n, name: 'Lamp' });
  expect([await things.remove(1n), await things.remove(1n)]).toEqual([true, false]);
  expect(readRows(path)).toEqual([]);
});

test('writes of different kinds that arrive together are done in their order', async () => {
  const outcomes = await Promise.all([
    things.create({ id: 1n, name: 'Lamp' }),
    things.create({ id: 2n, name: 'Lamp' }),
    things.remove(1n),
    things.create({ id: 1n, name: 'Chair' }),
    things.remove(3n),
  ]);
  expect(outcomes).toEqual(['created', 'created', true, 'created', false]);
  expect(readRows(path)).toEqual([
    { id: '1', name: 'Chair' },
    { id: '2', name: 'Lamp' },
  ]);
});

test('if one write of a batch fails, none of the batch is done', async () => {
  const results = await Promise.allSettled([
    things.create({ id: 1n, name: 'Lamp' }),
    things.write(['INSERT INTO nowhere VALUES (?)'], [1n]),
  ]);
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
  expect(readRows(path)).toEqual([]);
});

test('a write without values is a write', async () => {
  await things.create({ id: 1n, name: 'Lamp' });
  expect(await things.write(['DELETE FROM things'], [])).toBe(0);
  expect(await things.all()).toEqual([]);
});

test('rows come as objects, integers exact, in the order of the statement', async () => {
  const all = [-(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n].map((id) => ({ id, name: `${id}` }));
  await Promise.all(all.map(things.create));
  expect(await things.read<Thing>(SELECT, [])).toEqual(all);
  expect(await things.read('SELECT name FROM things WHERE id > ? LIMIT ?', [0n, 1])).toEqual([
    { name: `${2n ** 53n + 1n}` },
  ]);
});

test('a read ends with the row that brings its texts to as many characters as are enough', async () => {
  await Promise.all([1n, 2n, 3n, 4n].map((id) => things.create({ id, name: 'x'.repeat(10) })));
  const readIds = async (characters: number) =>
    (await things.read<Thing>(SELECT, [], characters)).map(({ id }) => id);
  expect(await readIds(15)).toEqual([1n, 2n]);
  expect(await readIds(20)).toEqual([1n, 2n]);
  expect(await readIds(1000)).toEqual([1n, 2n, 3n, 4n]);
});

test('a schema grows by its new steps, and rows stay', async () => {
  await things.create({ id: 1n, name: 'Lamp' });
  const steps = [...SCHEMA.steps, 'ALTER TABLE things ADD COLUMN colour TEXT'];
  const newer = await openSqliteEngine(path, { ...SCHEMA, steps });
  expect(await newer.read('SELECT id, name, colour FROM things', [])).toEqual([
    { id: 1n, name: 'Lamp', colour: null },
  ]);
  expect(await newer.write([DELETE], [1n])).toBe(0);
  await newer.close();
});

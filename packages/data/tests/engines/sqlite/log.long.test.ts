import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { sizeOf, until, useFolders } from '../../support/files.ts';
import { countRows, openThings, type Things } from './things.ts';

const { makeFolder, makePath } = useFolders();

test('commits move from the log into the file while creates continue', async () => {
  const path = await makePath();
  const things = await openThings(path);
  for (let first = 0n; first < 4500n; first += 100n)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => things.create({ id: first + BigInt(index), name: 'Lamp' })),
    );
  const alone = join(await makeFolder(), 'without-log.db');
  const inFile = await until('the file has most of them without its log', async () => {
    await things.check();
    copyFileSync(path, alone);
    const rows = sizeOf(alone) > 2 ** 13 ? countRows(alone) : 0; // a file that is shorter has no table yet
    return rows > 2000 ? rows : undefined;
  });
  expect(inFile).toBeLessThanOrEqual(4500);
  await things.close();
});

/** Holds one view of the file open. Returns a function that releases it. */
const holdView = (path: string) => {
  const other = new DatabaseSync(path);
  other.exec('BEGIN');
  other.prepare('SELECT 1 FROM things LIMIT 1').get();
  return () => other.close();
};

describe('a log that grows while a reader holds a view', () => {
  const MEBIBYTE = 2 ** 20;
  let next = 0n;
  const createMany = (things: Things, count: number, name: string) =>
    Promise.all(Array.from({ length: count }, () => things.create({ id: next++, name })));

  const openWithLongLog = async () => {
    const path = await makePath();
    const things = await openThings(path);
    const letGo = holdView(path);
    for (let round = 0; round < 16; round++) await createMany(things, 64, 'x'.repeat(50_000));
    expect(sizeOf(`${path}-wal`)).toBeGreaterThan(40 * MEBIBYTE);
    return { path, things, letGo };
  };

  test('is in the file, and short again, soon after the reader has gone', async () => {
    const { path, things, letGo } = await openWithLongLog();
    letGo();
    const alone = join(await makeFolder(), 'without-log.db');
    const countInFile = (): number => {
      copyFileSync(path, alone);
      return countRows(alone);
    };
    const look = async () => {
      await createMany(things, 60, 'Lamp');
      const rows = sizeOf(`${path}-wal`) <= 16 * MEBIBYTE ? countInFile() : 0;
      return rows > 1024 ? rows : undefined;
    };
    const inFile = await until('the log is short, and its writes are in the file', look, 60_000);
    expect(inFile).toBeGreaterThan(1024);
    await things.close();
  }, 90_000);

  test('stays short without one, however long the rows are', async () => {
    const path = await makePath();
    const things = await openThings(path);
    for (let round = 0; round < 16; round++) await createMany(things, 64, 'x'.repeat(50_000));
    expect(sizeOf(`${path}-wal`)).toBeLessThan(24 * MEBIBYTE);
    await things.close();
  });

  test('keeps no store from closing, and nothing is lost', async () => {
    const { path, things, letGo } = await openWithLongLog();
    await createMany(things, 60, 'Lamp');
    await things.close();
    expect(countRows(path)).toBe(1024 + 60);
    letGo();
    const again = await openThings(path);
    expect(await again.create({ id: next - 1n, name: 'Lamp' })).toBe('unchanged');
    await again.close();
  });

  test('does not grow by checks alone', async () => {
    const path = await makePath();
    const things = await openThings(path);
    for (let times = 0; times < 2500; times++) expect(await things.check()).toBeUndefined();
    expect(sizeOf(`${path}-wal`)).toBeLessThan(9 * MEBIBYTE);
    await things.close();
  });
});

import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { NewPlant } from '../../src/plants/plant.ts';
import { openStore } from '../../src/store.ts';
import { usePostgres } from '../service/support/postgres.ts';

const postgres = usePostgres();

/** A store, and a way to take all of its plants away while it is read. */
const STORES = {
  async sqlite() {
    const path = join(await postgres.makeFolder(), 'plants.db');
    const clear = () => {
      const other = new DatabaseSync(path);
      other.exec('DELETE FROM plants');
      other.close();
    };
    return { plants: await openStore({ databaseUrl: `sqlite:${path}` }), clear };
  },
  async postgres() {
    const url = await postgres.createDatabase();
    const clear = async () => (await postgres.openSession(url)).query('DELETE FROM plants');
    return { plants: await openStore({ databaseUrl: url }), clear };
  },
};

const PAGE = 2 ** 20;
const LONG = 100_000;

const lengthOf = (plants: readonly NewPlant[]): number =>
  plants.reduce((length, { name, tag = '' }) => length + name.length + tag.length, 0);

/** Plants to compare: a difference would be too long to show. */
const toText = (plants: readonly NewPlant[]): string =>
  plants.map(({ id, name, tag }) => `${id} ${name} ${tag ?? '-'}`).join('\n');

describe.each(Object.entries(STORES))('the %s store', (_name, openStore) => {
  /** Short plants first, as many as make the longest pages there are; then long ones. */
  const openMany = async (long: (index: number) => Omit<NewPlant, 'id'>) => {
    const { plants, clear } = await openStore();
    const sent = [
      ...Array.from({ length: 3000 }, (_, index) => ({ id: BigInt(index), name: `plant ${index}` })),
      ...Array.from({ length: 150 }, (_, index) => ({ id: BigInt(3000 + index), ...long(index) })),
    ];
    await Promise.all(sent.map(plants.create));
    return { plants, clear, sent };
  };

  test.each([
    ['names', () => ({ name: 'x'.repeat(LONG) })],
    ['tags', () => ({ name: '', tag: '🌱'.repeat(LONG / 2) })],
  ])('holds no more than a page of long %s, wherever the reader stands', async (_what, long) => {
    const { plants, clear, sent } = await openMany(long);
    let seen = 0;
    const held: NewPlant[] = [];
    for await (const plant of plants.all()) {
      seen += 1;
      if (seen === 3040) await clear(); // later pages were in memory already
      if (seen > 3040) held.push(plant);
    }
    expect(toText(held) === toText(sent.slice(3040, 3040 + held.length))).toBe(true);
    expect(lengthOf(held)).toBeLessThan(PAGE + LONG);
    await plants.close();
  });

  test('reads plants of any length in order, each exactly and once', async () => {
    const { plants, sent } = await openMany((index) => {
      const tag = index % 3 === 0 ? {} : { tag: 'é'.repeat((index * 7919) % LONG) };
      return { name: 'x'.repeat((index * 104_729) % (index % 50 === 0 ? 3 * PAGE : LONG)), ...tag };
    });
    const all: NewPlant[] = [];
    for await (const plant of plants.all()) all.push(plant);
    expect(all.map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
    expect(toText(all) === toText(sent)).toBe(true);
    await plants.close();
  });
});

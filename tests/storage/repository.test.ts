import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../scripts/support/postgres.ts';
import type { NewPlant } from '../../src/plants/plant.ts';
import type { PlantStore } from '../../src/plants/repository.ts';
import { openStore } from '../../src/store.ts';
import { temporaryFolders } from '../support/temporary.ts';

let postgres: Postgres;
afterAll(() => postgres.stop()); // before its folder goes
const makeFolder = temporaryFolders();
beforeAll(async () => {
  postgres = await startPostgres(await makeFolder());
});

let database: Promise<string> | undefined;

/** Empties the database: to create one for each test takes several times as long. */
const emptyDatabase = async (): Promise<string> => {
  database ??= postgres.createDatabase();
  const url = await database;
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await session.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await session.end();
  return url;
};

const STORES = {
  memory: async () => 'memory:',
  sqlite: async () => `sqlite:${join(await makeFolder(), 'plants.db')}`,
  postgres: emptyDatabase,
};

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

const collect = async (plants: PlantStore): Promise<NewPlant[]> => {
  const all: NewPlant[] = [];
  for await (const plant of plants.all()) all.push(plant);
  return all;
};

describe.each(Object.entries(STORES))('the %s store', (_name, makeUrl) => {
  let plants: PlantStore;
  beforeEach(async () => {
    plants = await openStore({ databaseUrl: await makeUrl() });
  });
  afterEach(() => plants.close());

  test('creates a plant under a free id', async () => {
    expect(await plants.create({ id: 1n, name: 'Fern', tag: 'shade' })).toBe('created');
  });

  test('leaves the same plant, sent again, unchanged', async () => {
    await plants.create({ id: 1n, name: 'Fern', tag: 'shade' });
    expect(await plants.create({ id: 1n, name: 'Fern', tag: 'shade' })).toBe('unchanged');
  });

  test.each<[string, Omit<NewPlant, 'id'>]>([
    ['another name', { name: 'Moss', tag: 'shade' }],
    ['another tag', { name: 'Fern', tag: 'sun' }],
    ['no tag', { name: 'Fern' }],
    ['an empty tag', { name: 'Fern', tag: '' }],
    ['a name that differs in case', { name: 'fern', tag: 'shade' }],
    ['a name that looks the same', { name: 'Fern ', tag: 'shade' }],
  ])('refuses a plant with %s under a taken id, and keeps the first', async (_difference, other) => {
    await plants.create({ id: 1n, name: 'Fern', tag: 'shade' });
    expect(await plants.create({ id: 1n, ...other })).toBe('conflict');
    expect(await plants.create({ id: 1n, name: 'Fern', tag: 'shade' })).toBe('unchanged');
  });

  test('tells a plant without a tag from one with an empty tag', async () => {
    await plants.create({ id: 1n, name: 'Fern' });
    expect(await plants.create({ id: 1n, name: 'Fern', tag: '' })).toBe('conflict');
    expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
  });

  test('keeps ids apart over all of int64', async () => {
    const ids = [
      MIN,
      MIN + 1n,
      -(2n ** 53n) - 1n,
      -(2n ** 53n),
      -1n,
      0n,
      1n,
      2n ** 53n,
      2n ** 53n + 1n,
      MAX - 1n,
      MAX,
    ];
    const create = (id: bigint) => plants.create({ id, name: `plant ${id}` });
    expect(await Promise.all(ids.map(create))).toEqual(ids.map(() => 'created'));
    expect(await Promise.all(ids.map(create))).toEqual(ids.map(() => 'unchanged'));
  });

  test('keeps any text exactly', async () => {
    const unit = fc
      .integer({ min: 1, max: 0x10f7ff })
      .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800)); // all but surrogates
    const text = fc.string({ unit });
    let id = 0n;
    await fc.assert(
      fc.asyncProperty(text, fc.option(text, { nil: undefined }), async (name, tag) => {
        id += 1n;
        const plant = tag === undefined ? { id, name } : { id, name, tag };
        expect(await plants.create(plant)).toBe('created');
        expect(await plants.create(plant)).toBe('unchanged');
        expect(await plants.create({ ...plant, name: `${name}\u0301` })).toBe('conflict');
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test('exactly one of many different plants wins an id', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => plants.create({ id: 7n, name: `plant ${index}` })),
    );
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(49);
    const winner = outcomes.indexOf('created');
    expect(await plants.create({ id: 7n, name: `plant ${winner}` })).toBe('unchanged');
  });

  test('all but the first of many equal plants are unchanged', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => plants.create({ id: 7n, name: 'Fern' })),
    );
    expect(outcomes.toSorted()).toEqual(['created', ...Array.from({ length: 49 }, () => 'unchanged')]);
  });

  test('is ready where it can write', async () => {
    expect(await plants.check()).toBeUndefined();
  });

  test('does not keep members that the contract does not name', async () => {
    const plant = { id: 1n, name: 'Fern', colour: 'green' };
    await plants.create(plant);
    expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
  });

  test('reads every plant in order of id, each exactly and once, over all of int64', async () => {
    const odd = [
      { id: MAX, name: '\u2028 "quoted" \\ 🌱', tag: '' },
      { id: MIN, name: 'the first' },
      { id: 2n ** 53n + 1n, name: 'the odd one', tag: 'exact' },
      { id: 2n ** 53n, name: 'the even one', tag: 'exact' },
      { id: -1n, name: '' },
    ];
    const many = Array.from({ length: 2500 }, (_, index) => ({ id: BigInt(index), name: `plant ${index}` }));
    const sent = [...odd, ...many.toReversed()];
    await Promise.all(sent.map(plants.create));
    expect(await collect(plants)).toEqual(sent.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
  });

  test('reads nothing where there is nothing', async () => {
    expect(await collect(plants)).toEqual([]);
  });

  test('reads on to the last id there can be, and no further', async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => MAX - BigInt(999 - index));
    await Promise.all(ids.map((id) => plants.create({ id, name: 'Fern' })));
    expect((await collect(plants)).map(({ id }) => id)).toEqual(ids);
  });

  test('reading does not delay writers', async () => {
    const ids = Array.from({ length: 1500 }, (_, index) => BigInt(index));
    await Promise.all(ids.map((id) => plants.create({ id, name: 'Fern' })));
    const seen: bigint[] = [];
    for await (const { id } of plants.all()) {
      if (id === 500n) expect(await plants.create({ id: -1n, name: 'late' })).toBe('created');
      seen.push(id);
    }
    expect(seen).toEqual(ids);
  });

  test('gives a reader who stops early nothing to close', async () => {
    await Promise.all([1n, 2n].map((id) => plants.create({ id, name: 'Fern' })));
    for await (const { id } of plants.all()) {
      expect(id).toBe(1n);
      break;
    }
    expect(await plants.create({ id: 3n, name: 'Fern' })).toBe('created');
  });

  test('settles accepted writes before it closes', async () => {
    const pending = Promise.all(
      Array.from({ length: 3000 }, (_, index) => plants.create({ id: BigInt(index), name: 'Fern' })),
    );
    await plants.close();
    expect(new Set(await pending)).toEqual(new Set(['created']));
    plants = await openStore({ databaseUrl: 'memory:' });
  });
});

test.each(['', 'plants.db', 'sqlite:', 'oracle://user:secret@host/db', 'constructor:x'])(
  'a DATABASE_URL of "%s" is refused with the remedy, and not repeated',
  async (url) => {
    await expect(openStore({ databaseUrl: url })).rejects.toThrow(
      'DATABASE_URL names no database that is known here; use sqlite:PATH, postgres://… or memory:',
    );
  },
);

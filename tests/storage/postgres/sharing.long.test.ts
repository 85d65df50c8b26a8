import { readPlants, usePostgres } from '../../service/support/postgres.ts';
import { changeSetting, untilWaiting } from '../../support/postgres/postgres.ts';

const postgres = usePostgres();

/** 200 different plants under 20 ids; neighbours go to different stores. */
const RACERS = Array.from({ length: 200 }, (_, index) => ({
  id: BigInt(index % 20),
  name: `plant ${index}`,
  tag: `racer ${index}`,
}));

test.each(['read committed', 'serializable'])(
  'two stores on one database agree who holds an id, at isolation level %s',
  async (level) => {
    const url = await postgres.createDatabase();
    const other = await postgres.openSession(url);
    await changeSetting(other, `default_transaction_isolation = '${level}'`);
    const [one, two] = await Promise.all([postgres.openPlants(url), postgres.openPlants(url)]);
    const outcomes = await Promise.all(
      RACERS.map((plant, index) => (Math.floor(index / 20) % 2 === 0 ? one : two).create(plant)),
    );
    const created = RACERS.filter((_, index) => outcomes[index] === 'created');
    expect(created).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(180);
    expect(await readPlants(other)).toEqual(
      created
        .toSorted((a, b) => Number(a.id - b.id))
        .map(({ id, name, tag }) => ({ id: `${id}`, name, tag })),
    );
  },
);

test('a batch locks its ids in order, so that two batches cannot deadlock', async () => {
  const url = await postgres.createDatabase();
  const plants = await postgres.openPlants(url);
  const [one, two] = await Promise.all([postgres.openSession(url), postgres.openSession(url)]);
  await one.query("BEGIN; INSERT INTO plants VALUES (1, 'Moss')");
  const batch = Promise.all([2n, 1n].map((id) => plants.create({ id, name: 'Fern' })));
  await untilWaiting(one);
  await two.query("SET lock_timeout = 500; INSERT INTO plants VALUES (2, 'Moss')"); // 2 is not held yet
  await one.query('ROLLBACK');
  expect(await batch).toEqual(['conflict', 'created']);
});

test('a replay through another store is known again', async () => {
  const url = await postgres.createDatabase();
  const [one, two] = await Promise.all([postgres.openPlants(url), postgres.openPlants(url)]);
  await one.create({ id: 1n, name: 'Fern', tag: 'shade' });
  expect(await two.create({ id: 1n, name: 'Fern', tag: 'shade' })).toBe('unchanged');
  expect(await two.create({ id: 1n, name: 'Fern' })).toBe('conflict');
});

test('many stores may open at once on an empty database, and make one schema', async () => {
  const url = await postgres.createDatabase();
  const stores = await Promise.all(
    Array.from({ length: 16 }, () => postgres.openPlants(url, { poolSize: 1 })),
  );
  expect(await Promise.all(stores.map((plants) => plants.check()))).toEqual(stores.map(() => undefined));
  const session = await postgres.openSession(url);
  const { rows } = await session.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  expect(rows).toEqual([{ name: 'plant_store_schema' }, { name: 'plants' }]);
  expect((await session.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 1 }]);
});

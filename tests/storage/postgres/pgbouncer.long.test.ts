import type { PlantRepository } from '../../../src/plants/repository.ts';
import { readPlants, usePostgres } from '../../service/support/postgres.ts';
import { until } from '../../support/postgres/conditions.ts';
import { PGBOUNCER, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { untilWaiting } from '../../support/postgres/postgres.ts';

const SERVER_CONNECTIONS = 2;

const describeIfThere = PGBOUNCER === undefined ? describe.skip : describe;

describeIfThere('behind pgbouncer in transaction mode', () => {
  const postgres = usePostgres();
  let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
  let databaseUrl: string;
  let stores: readonly PlantRepository[];
  beforeEach(async () => {
    databaseUrl = await postgres.createDatabase();
    pgbouncer = await startPgbouncer(await postgres.makeFolder(), databaseUrl, SERVER_CONNECTIONS);
    stores = await Promise.all(Array.from({ length: 4 }, () => postgres.openPlants(pgbouncer.url)));
  });
  afterEach(() => pgbouncer.stop());

  test('several stores at once make the schema, create, replay and refuse as they do without', async () => {
    expect(await Promise.all(stores.map((plants) => plants.check()))).toEqual(stores.map(() => undefined));
    const race = () =>
      Promise.all(
        stores.flatMap((plants, store) =>
          Array.from({ length: 50 }, (_, id) => plants.create({ id: BigInt(id), name: `from ${store}` })),
        ),
      );
    const first = await race();
    expect(first.filter((outcome) => outcome === 'created')).toHaveLength(50);
    expect(first.filter((outcome) => outcome === 'conflict')).toHaveLength(150);
    const again = await race();
    expect(again).toEqual(first.map((outcome) => (outcome === 'created' ? 'unchanged' : 'conflict')));
    expect(await readPlants(await postgres.openSession(databaseUrl))).toHaveLength(50);
  });

  test('more clients than there are connections to the server are all served', async () => {
    const console = await postgres.openSession(pgbouncer.consoleUrl);
    const other = await postgres.openSession(databaseUrl);
    await other.query('BEGIN; LOCK TABLE plants');
    const creates = stores.map((plants, store) => plants.create({ id: BigInt(store), name: 'Fern' }));
    await untilWaiting(other, SERVER_CONNECTIONS);
    const [active, mode] = await until('the other clients wait at pgbouncer', async () => {
      const { rows } = await console.query('SHOW POOLS');
      const pool = rows.find(({ cl_waiting }) => Number(cl_waiting) === stores.length - SERVER_CONNECTIONS);
      return pool && [Number(pool.cl_active), pool.pool_mode];
    });
    expect([active, mode]).toEqual([SERVER_CONNECTIONS, 'transaction']);
    await other.query('COMMIT');
    expect(await Promise.all(creates)).toEqual(stores.map(() => 'created'));
  });

  test('a statement that waits for too long is refused within the limit there too', async () => {
    const plants = await postgres.openPlants(pgbouncer.url, { statementTimeout: 300 });
    const other = await postgres.openSession(databaseUrl);
    await other.query('BEGIN; LOCK TABLE plants');
    await expect(plants.create({ id: 1n, name: 'Fern' })).rejects.toMatchObject({ reason: 'timeout' });
    await other.query('COMMIT');
    expect(await plants.create({ id: 2n, name: 'Moss' })).toBe('created');
  });
});

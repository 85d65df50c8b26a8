import { settle } from './support/load.ts';
import { readPlants, usePostgres } from './support/postgres.ts';
import { ask, useServices } from './support/services.ts';

const postgres = usePostgres();
const startService = useServices();

test.each([
  ['two services', {}],
  ['two services of two workers each', { WORKERS: '2' }],
])(
  '%s on one database, 200 different plants raced under 20 ids: 20 are acknowledged and kept',
  async (_title, settings) => {
    const url = await postgres.createDatabase();
    const services = await Promise.all([startService(url, settings), startService(url, settings)]);
    const racers = Array.from({ length: 200 }, (_, index) => ({
      service: services[Math.floor(index / 20) % 2] ?? { url: '' },
      plant: { id: index % 20, name: `plant ${index}`, tag: `racer ${index}` },
    }));
    const statuses = await Promise.all(racers.map(({ service, plant }) => settle(service, plant)));
    const acknowledged = racers.flatMap(({ plant }, index) => (statuses[index] === 200 ? [plant] : []));
    expect(acknowledged).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(180);
    expect(await readPlants(await postgres.openSession(url))).toEqual(
      acknowledged
        .toSorted((one, other) => one.id - other.id)
        .map((plant) => ({ ...plant, id: `${plant.id}` })),
    );
  },
);

test('16 services started at once on an empty database all come up, on one schema', async () => {
  const url = await postgres.createDatabase();
  const services = await Promise.all(Array.from({ length: 16 }, () => startService(url)));
  const ready = await Promise.all(services.map((service) => ask(service, '/readyz')));
  expect(ready).toEqual(services.map(() => ({ status: 200, body: { status: 'ok' } })));
  const session = await postgres.openSession(url);
  expect((await session.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 1 }]);
  expect(services.flatMap(({ log }) => log.filter(({ level }) => Number(level) > 30))).toEqual([]);
}, 90_000); // sixteen starts at once are much for a small machine

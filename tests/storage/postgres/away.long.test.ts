import { join } from 'node:path';
import type { PlantRepository } from '../../../src/plants/repository.ts';
import { usePostgres } from '../../service/support/postgres.ts';
import { timed } from '../../support/postgres/conditions.ts';
import { changeSetting, readWaiting } from '../../support/postgres/postgres.ts';

const postgres = usePostgres();
const FERN = { id: 1n, name: 'Fern' };
const SHORT = { poolSize: 2, connectTimeout: 300, statementTimeout: 300 };

/** The error of a refused create, and the time until it came. */
const refusalOf = async (plants: PlantRepository) => {
  const { result, took } = await timed(plants.create(FERN));
  return { reason: result.status === 'rejected' ? result.reason.reason : result.value, took };
};

describe('a statement that waits for too long', () => {
  const openLocked = async () => {
    const url = await postgres.createDatabase();
    const plants = await postgres.openPlants(url, SHORT);
    const other = await postgres.openSession(url);
    await other.query('BEGIN; LOCK TABLE plants');
    return { plants, other };
  };

  test('is refused as a timeout within the limit, and creates are served once the way is free', async () => {
    const { plants, other } = await openLocked();
    const { reason, took } = await refusalOf(plants);
    expect(reason).toBe('timeout');
    expect(took).toBeGreaterThan(250);
    expect(took).toBeLessThan(1500);
    await other.query('ROLLBACK');
    expect(await plants.check()).toBeUndefined();
    expect(await plants.create({ id: 2n, name: 'Moss' })).toBe('created');
  });

  test('is given up by the server too: those that wait there are never more than the pool', async () => {
    const { plants, other } = await openLocked();
    for (let round = 1n; round <= 4n; round += 1n)
      await expect(plants.create({ id: round, name: 'Fern' })).rejects.toThrow('the store is timeout');
    expect((await readWaiting(other)).length).toBeLessThanOrEqual(SHORT.poolSize);
  });
});

test('a database that takes no writes is reported as readonly, and serves once it takes them', async () => {
  const url = await postgres.createDatabase();
  const plants = await postgres.openPlants(url);
  const other = await postgres.openSession(url);
  await changeSetting(other, 'default_transaction_read_only = on');
  const { reason, took } = await refusalOf(plants);
  expect(reason).toBe('readonly');
  expect(took).toBeLessThan(2500);
  expect(await plants.check()).toBe('readonly');
  await changeSetting(other, 'default_transaction_read_only = off');
  expect(await plants.create(FERN)).toBe('created');
  expect(await plants.check()).toBeUndefined();
});

test.each([
  [
    'whose schema is dropped',
    async (url: string) => {
      await (await postgres.openSession(url)).query('DROP TABLE plants, plant_store_schema');
    },
  ],
  [
    'that is made anew',
    async (url: string) => {
      const name = new URL(url).pathname.slice(1);
      const elsewhere = Object.assign(new URL(url), { pathname: 'postgres' }).href;
      const session = await postgres.openSession(elsewhere);
      await session.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await session.query(`CREATE DATABASE ${name}`);
    },
  ],
])('a database %s under a service fails one create, and then serves again', async (_what, empty) => {
  const url = await postgres.createDatabase();
  const plants = await postgres.openPlants(url);
  await plants.create(FERN);
  await empty(url);
  await expect(plants.create(FERN)).rejects.toMatchObject({ code: '42P01' });
  expect(await plants.create(FERN)).toBe('created');
  expect(await plants.check()).toBeUndefined();
});

test('a check finds the schema dropped, and the next one makes it again', async () => {
  const url = await postgres.createDatabase();
  const plants = await postgres.openPlants(url);
  await (await postgres.openSession(url)).query('DROP TABLE plants, plant_store_schema');
  expect(await plants.check()).toBe('failing');
  expect(await plants.check()).toBeUndefined();
  expect(await plants.create(FERN)).toBe('created');
});

test('a network that falls silent is reported as a timeout within the limits, and new connections serve', async () => {
  const proxy = await postgres.openProxy(await postgres.createDatabase());
  const plants = await postgres.openPlants(proxy.url, SHORT);
  await plants.create({ id: 2n, name: 'Moss' });
  proxy.fallSilent();
  const onOldConnection = await refusalOf(plants);
  const onNewConnection = await refusalOf(plants);
  expect([onOldConnection.reason, onNewConnection.reason]).toEqual(['timeout', 'timeout']);
  expect(Math.max(onOldConnection.took, onNewConnection.took)).toBeLessThan(1500);
  expect(await plants.check()).toBe('timeout');
  proxy.speakAgain();
  expect(await plants.create(FERN)).toBe('created');
});

test.each([
  ['port', () => 'postgres://plants:plants@127.0.0.1:1/plants'],
  ['Unix socket', (folder: string) => `postgres://plants:plants@/plants?host=${join(folder, 'none')}`],
])('a store opens while nothing answers at its %s, and warns', async (_way, urlOf) => {
  const plants = await postgres.openPlants(urlOf(await postgres.makeFolder()));
  expect(await plants.check()).toBe('unreachable');
  expect((await refusalOf(plants)).reason).toBe('unreachable');
});

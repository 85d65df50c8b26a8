import { timed } from '../support/postgres/conditions.ts';
import { create, plantOf, startLoad, toText } from './support/load.ts';
import { readPlants, usePostgres } from './support/postgres.ts';
import { ask, useServices } from './support/services.ts';

const postgres = usePostgres();
const startService = useServices();

const HEALTHY = { status: 200, body: { status: 'ok' } };
const UNREACHABLE = { status: 503, body: { error: 50301, message: 'unreachable' } };
const REFUSED = { status: 503, retryAfter: '1', body: { error: 50301, message: expect.any(String) } };

/** Stops the database as a crash would, and starts it again when the work is done. */
const whileAway = async <T>(work: () => Promise<T>): Promise<T> => {
  await postgres.server.stopAtOnce();
  return work().finally(() => postgres.server.startAgain());
};

test('a database that stops under load: 503 meanwhile, 200 soon after its return, nothing acknowledged lost', async () => {
  const url = await postgres.createDatabase();
  const service = await startService(url);
  const load = startLoad(service);
  await load.untilSeen('the service is under load', ({ status }) => status === 200, 200);

  const { downAt, returnsAt } = await whileAway(async () => {
    const since = performance.now();
    await load.untilSeen('some two seconds of refusals', ({ asked }) => asked > since, 16);
    expect(await ask(service, '/readyz')).toEqual(UNREACHABLE);
    expect(await ask(service, '/healthz')).toEqual(HEALTHY);
    return { downAt: since, returnsAt: performance.now() };
  });
  const backAt = performance.now();
  const [first] = await load.untilSeen(
    'a create is served',
    (one) => one.status === 200 && one.answered > backAt,
  );
  expect(first?.answered).toBeLessThan(backAt + 2000);
  expect(await ask(service, '/readyz')).toEqual(HEALTHY);
  const answers = await load.stop();

  const meanwhile = answers.filter(({ asked, answered }) => asked > downAt && answered < returnsAt);
  expect(meanwhile.length).toBeGreaterThanOrEqual(16);
  expect(meanwhile).toEqual(meanwhile.map(() => expect.objectContaining(REFUSED)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toEqual(refused.map(() => expect.objectContaining(REFUSED)));
  expect(Math.max(...answers.map(({ asked, answered }) => answered - asked))).toBeLessThan(5000);

  const kept = new Set((await readPlants(await postgres.openSession(url))).map(toText));
  const acknowledged = answers.filter(({ status }) => status === 200).map(({ id }) => plantOf(id));
  expect(acknowledged.filter((plant) => !kept.has(toText(plant)))).toEqual([]);
});

test('a service that starts while the database is down warns once, and serves once it is up', async () => {
  const url = await postgres.createDatabase();
  const service = await whileAway(async () => {
    const started = await startService(url);
    expect(await ask(started, '/readyz')).toEqual(UNREACHABLE);
    expect(await create(started, 1)).toMatchObject(REFUSED);
    expect(await ask(started, '/healthz')).toEqual(HEALTHY);
    return started;
  });
  expect(await create(service, 1)).toMatchObject({ status: 200 });
  expect(await ask(service, '/readyz')).toEqual(HEALTHY);
  expect(service.log.filter(({ level }) => level === 40)).toMatchObject([{ reason: 'unreachable' }]);
  expect(await service.end()).toBe(0);
});

test('a service stops although its database has fallen silent', async () => {
  const proxy = await postgres.openProxy(await postgres.createDatabase());
  const service = await startService(proxy.url);
  expect(await ask(service, '/readyz')).toMatchObject({ status: 200 });
  proxy.fallSilent();
  const { result, took } = await timed(service.end());
  expect(result).toMatchObject({ value: 0 });
  expect(took).toBeLessThan(5000);
});

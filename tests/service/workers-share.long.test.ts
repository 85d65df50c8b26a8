import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { openStore } from '../../src/store.ts';
import { figures, scrape } from '../support/exposition.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { create, isOverload, settle } from './support/load.ts';
import { runProcess } from './support/process.ts';
import { useWorkers, workersOf } from './support/workers.ts';

const makeFolder = temporaryFolders();
const start = useWorkers();

const namesIn = async (folder: string): Promise<string[]> => {
  const store = await openStore({ databaseUrl: `sqlite:${join(folder, 'data/plants.db')}` });
  const names: string[] = [];
  for await (const { name } of store.all()) names.push(name);
  await store.close();
  return names;
};

test('three workers, 200 different plants raced under 20 ids: 20 are acknowledged and kept', async () => {
  const service = await start();
  expect(workersOf(service)).toHaveLength(3);
  const racers = Array.from({ length: 200 }, (_, index) => ({ id: index % 20, name: `plant ${index}` }));
  const statuses = await Promise.all(racers.map((plant) => settle(service, plant)));
  const acknowledged = racers.filter((_, index) => statuses[index] === 200);
  expect(acknowledged).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(180);
  expect(await service.end()).toBe(0);
  expect(await namesIn(service.folder)).toEqual(
    acknowledged.toSorted((one, other) => one.id - other.id).map(({ name }) => name),
  );
  const lines = service.log.filter((line) => line.msg !== 'request' && !isOverload(line));
  expect(lines.map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped']);
});

test('one scrape counts the requests and commits of all', async () => {
  const service = await start(); // every worker has answered
  for (let asked = 0; asked < 30; asked += 1)
    await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } });
  await Promise.all(Array.from({ length: 40 }, (_, id) => create(service, id)));
  const samples = await scrape(service);
  expect(figures(samples, 'http_requests_total')).toMatchObject({
    'createPlant 200': 40,
    '/healthz 200': 30,
  });
  expect(figures(samples, 'http_request_duration_seconds_count')).toMatchObject({ createPlant: 40 });
  expect(figures(samples, 'store_batch_size_sum')).toEqual({ '': 40 });
});

describe('a start that is refused says why once, and ends with 1', () => {
  test('a store that each process would have for itself', async () => {
    const settings = { WORKERS: '2', ACCESS_TOKENS: TOKEN, DATABASE_URL: 'memory:' };
    const { code, output } = await runProcess(await makeFolder(), settings);
    expect(code).toBe(1);
    expect(JSON.parse(output).msg).toBe(
      'cannot start: WORKERS must be 1 with memory:, since each process has its own memory',
    );
  });

  test('a first worker that is killed', async () => {
    const preload = `import cluster from 'node:cluster'; if (cluster.isWorker) process.kill(process.pid, 'SIGKILL');`;
    const { code, output } = await runProcess(await makeFolder(), {
      WORKERS: '2',
      ACCESS_TOKENS: TOKEN,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    });
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      signal: 'SIGKILL',
      msg: 'cannot start: the first worker has ended',
    });
  });

  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const PORT = typeof address === 'object' && address ? `${address.port}` : '';
    const { code, output } = await runProcess(await makeFolder(), {
      WORKERS: '2',
      ACCESS_TOKENS: TOKEN,
      PORT,
    });
    taken.close();
    expect(code).toBe(1);
    expect(JSON.parse(output).msg).toContain(
      `this HOST and PORT cannot be used: bind EADDRINUSE 127.0.0.1:${PORT}`,
    );
  });
});

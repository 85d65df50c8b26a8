import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { environmentOf, MAIN, type ServiceProcess } from '../../scripts/support/service.ts';
import { childrenOf, isAlive } from '../../scripts/support/usage.ts';
import { until } from '../support/postgres/conditions.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { create } from './support/load.ts';
import { ask } from './support/services.ts';
import { useWorkers, workersOf } from './support/workers.ts';

const makeFolder = temporaryFolders();
const start = useWorkers();

/** Never kill(0), which means all processes of the group. */
const kill = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (!pid) throw new Error('there is no such process');
  process.kill(pid, signal);
};

const untilWorkers = (
  service: { pid: number },
  what: string,
  isSo: (workers: readonly number[]) => boolean,
) => until(what, async () => (isSo(workersOf(service)) ? workersOf(service) : undefined), 30_000);

/**
 * Awaits workers that are all others, and each of which answers: one connection after the other reaches all of them.
 */
const untilReplaced = async (service: ServiceProcess, before: readonly number[]): Promise<void> => {
  const areOthers = (now: readonly number[]) => now.length === 3 && !now.some((pid) => before.includes(pid));
  await untilWorkers(service, 'all workers are others', areOthers);
  const isReady = () =>
    ask(service, '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    ); // or refused
  await until('it is ready', async () => (await isReady()) || undefined);
};

const isFree = async (url: string): Promise<boolean> => {
  const server = createServer().listen(Number(new URL(url).port), '127.0.0.1');
  const isListening = await once(server, 'listening').catch(() => false);
  server.close();
  return isListening !== false;
};

describe('SIGTERM ends the service', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  test.each([1, 2, 3])('while worker %i of 3 starts', async (count) => {
    const child = spawn(process.execPath, [MAIN], {
      cwd: await makeFolder(),
      env: environmentOf({ WORKERS: '3', ACCESS_TOKENS: TOKEN }),
      stdio: 'ignore',
    });
    children.push(child);
    const exited = once(child, 'exit');
    const service = { pid: child.pid ?? 0 };
    await untilWorkers(service, 'the worker is there', ({ length }) => length >= count);
    const processes = childrenOf(service.pid);
    child.kill('SIGTERM');
    const tooLate = setTimeout(() => child.kill('SIGKILL'), 10_000);
    expect(await exited).toEqual([0, null]);
    clearTimeout(tooLate);
    await until('no process is left', async () => !processes.some(isAlive) || undefined);
  });

  test('while a worker is replaced', async () => {
    const service = await start();
    const before = workersOf(service);
    kill(before[0], 'SIGKILL');
    await untilWorkers(service, 'a new one starts', (now) => now.some((pid) => !before.includes(pid)));
    expect(await service.end('SIGTERM')).toBe(0);
  });

  test('if all processes get it, as supervisors send it: the workers serve until the drain is over', async () => {
    const service = await start({ DRAIN_MS: '2000' });
    for (const pid of workersOf(service)) kill(pid, 'SIGTERM');
    const ended = service.end('SIGTERM');
    await until('it is not ready', async () => (await ask(service, '/readyz')).status === 503 || undefined);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => create(service, id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await ended).toBe(0);
  });

  test('if a worker is suspended: it is killed once its time is over', async () => {
    const service = await start({ DRAIN_MS: '0' });
    const [suspended = Number.NaN] = workersOf(service);
    kill(suspended, 'SIGSTOP');
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.log).toContainEqual(
      expect.objectContaining({ worker: suspended, msg: 'a worker did not stop in time and is killed' }),
    );
    expect(isAlive(suspended)).toBe(false);
  }, 40_000);
});

const killWorkers = (service: ServiceProcess): readonly number[] => {
  const before = workersOf(service);
  for (const pid of before) kill(pid, 'SIGKILL');
  return before;
};

test('new workers start with a line of the token file that running ones skip', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'tokens'), `one:${TOKEN}\n`);
  const service = await start({ ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: 'tokens' }, folder);
  await appendFile(join(folder, 'tokens'), 'a:line:sha256:that is wrong\n::\n');
  await untilReplaced(service, killWorkers(service));
  const answers = await Promise.all(Array.from({ length: 30 }, (_, id) => create(service, id)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(service.log).toContainEqual(expect.objectContaining({ level: 40, line: 3 }));

  await rm(join(folder, 'tokens'));
  await untilReplaced(service, killWorkers(service));
  expect((await create(service, 1)).status).toBe(503);
  await writeFile(join(folder, 'tokens'), `one:${TOKEN}\n`);
  await until('the token is accepted', async () => (await create(service, 1)).status === 200 || undefined);
}, 60_000);

test('workers whose store cannot be opened start again until it can, and then serve', async () => {
  const service = await start();
  const file = join(service.folder, 'data/plants.db');
  await rename(file, `${file}.away`);
  await writeFile(file, 'no database');
  const before = killWorkers(service);
  await untilWorkers(service, 'they have ended', (now) => !now.some((pid) => before.includes(pid)));
  await rename(`${file}.away`, file);
  const reply = await until('it answers again', () => create(service, 1).catch(() => undefined));
  expect(reply.status).toBe(200);
}, 60_000);

test('workers end with the process that has started them; those that are suspended, once they wake up', async () => {
  const service = await start();
  const [suspended = Number.NaN, ...others] = workersOf(service);
  kill(suspended, 'SIGSTOP');
  const ended = service.end('SIGKILL'); // once no process has its output open
  await until('the others have ended', async () => !others.some(isAlive) || undefined);
  expect(isAlive(suspended)).toBe(true);
  kill(suspended, 'SIGCONT');
  await until('it has ended', async () => !isAlive(suspended) || undefined);
  await ended;
  expect(await isFree(service.url)).toBe(true);
});

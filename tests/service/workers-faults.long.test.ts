import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
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

/** Never kill(0): that is everybody. */
const kill = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (!pid) throw new Error('there is no such process');
  process.kill(pid, signal);
};

const untilWorkers = (
  service: { pid: number },
  what: string,
  isSo: (workers: readonly number[]) => boolean,
) => until(what, async () => (isSo(workersOf(service)) ? workersOf(service) : undefined), 30_000);

/** Awaits workers that are all others, and each of which answers: one connection after the other reaches all of them. */
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

  test.each(['SIGUSR2', 'SIGKILL'] as const)('while a worker is replaced after %s', async (signal) => {
    const service = await start();
    const before = workersOf(service);
    kill(signal === 'SIGUSR2' ? service.pid : before[0], signal);
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

test('SIGUSR2 replaces all workers although one of them dies meanwhile, and does so again the next time', async () => {
  const service = await start();
  const before = workersOf(service);
  kill(service.pid, 'SIGUSR2');
  await untilWorkers(service, 'the first new one starts', ({ length }) => length === 4);
  kill(before[2], 'SIGKILL');
  await untilReplaced(service, before);
  await until('the log tells of it', async () =>
    service.log.find(({ msg }) => msg === 'the workers are replaced'),
  );
  const after = workersOf(service);
  kill(service.pid, 'SIGUSR2');
  await untilReplaced(service, after);
  expect(await service.end('SIGTERM')).toBe(0);
}, 90_000);

test('SIGUSR2 is given up if a new worker does not start, and the log says so', async () => {
  const service = await start();
  const before = workersOf(service);
  kill(service.pid, 'SIGUSR2');
  const during = await untilWorkers(service, 'the first new one starts', ({ length }) => length === 4);
  kill(
    during.find((pid) => !before.includes(pid)),
    'SIGKILL',
  );
  const line = await until('the log tells of it', async () =>
    service.log.find(({ msg }) => String(msg).startsWith('the workers are no longer replaced')),
  );
  expect(line).toMatchObject({ level: 40 });
  expect(workersOf(service)).toEqual(before);
  kill(service.pid, 'SIGUSR2');
  await untilReplaced(service, before);
}, 90_000);

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
  expect((await create(service, 1)).status).toBe(401);
  await writeFile(join(folder, 'tokens'), `one:${TOKEN}\n`);
  await until('it is let in', async () => (await create(service, 1)).status === 200 || undefined);
}, 60_000);

test('new workers start while the store cannot be opened, answer 503, and 200 afterwards', async () => {
  const service = await start();
  const folder = join(service.folder, 'data');
  await rename(folder, `${folder}.away`);
  await writeFile(folder, 'no folder');
  const before = killWorkers(service);
  await untilWorkers(
    service,
    'there are others',
    (now) => now.length === 3 && !now.some((pid) => before.includes(pid)),
  );
  const answer = await until('it answers', () => create(service, 1).catch(() => undefined));
  expect(answer.status).toBe(503);
  await rm(folder);
  await rename(`${folder}.away`, folder);
  await until('it serves again', async () => (await create(service, 1)).status === 200 || undefined);
}, 60_000);

test('a service has no temporary files that a cleaner could remove, and new workers serve without', async () => {
  const temporary = await makeFolder();
  const service = await start({ TMPDIR: temporary });
  expect(await readdir(temporary)).toEqual([]);
  await untilReplaced(service, killWorkers(service));
  const answers = await Promise.all(Array.from({ length: 30 }, (_, id) => create(service, id)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await service.end('SIGKILL');
  expect(await readdir(temporary)).toEqual([]);
}, 60_000);

test('a long TMPDIR makes no difference, even after kill -9', async () => {
  const folder = await makeFolder();
  const temporary = join(folder, 'x'.repeat(100 - folder.length), 'deeper');
  await mkdir(temporary, { recursive: true });
  const service = await start({ TMPDIR: temporary }, folder);
  expect((await create(service, 1)).status).toBe(200);
  await service.end('SIGKILL');
  const again = await start({ TMPDIR: temporary }, folder);
  expect((await create(again, 2)).status).toBe(200);
  expect((await readdir(folder)).toSorted()).toEqual(['data', 'x'.repeat(100 - folder.length)]);
}, 60_000);

test('a start removes nothing that others have put among the temporary files', async () => {
  const temporary = await makeFolder();
  const lure = join(temporary, 'workers-abcdef');
  await mkdir(lure);
  await writeFile(join(lure, 'precious'), 'precious');
  const target = join(await makeFolder(), 'old');
  await writeFile(target, '');
  const anHourAgo = Date.now() / 1000 - 3600;
  await utimes(target, anHourAgo, anHourAgo);
  await symlink(target, join(lure, 'socket'));
  await start({ TMPDIR: temporary });
  expect(await readFile(join(lure, 'precious'), 'utf8')).toBe('precious');
});

test('workers end with the process that has started them, even if all are suspended, and the port is free', async () => {
  const service = await start();
  const processes = childrenOf(service.pid);
  for (const pid of workersOf(service)) kill(pid, 'SIGSTOP');
  await service.end('SIGKILL');
  await until('all have ended', async () => !processes.some(isAlive) || undefined);
  expect(await isFree(service.url)).toBe(true);
});

test('a guard that is killed is replaced', async () => {
  const service = await start();
  const workers = workersOf(service);
  const findGuard = () => childrenOf(service.pid).find((pid) => !workers.includes(pid));
  const guard = findGuard();
  kill(guard, 'SIGKILL');
  await until('there is another one', async () => (findGuard() === guard ? undefined : findGuard()));
  for (const pid of workers) kill(pid, 'SIGSTOP');
  await service.end('SIGKILL');
  await until('all have ended', async () => !workers.some(isAlive) || undefined);
  expect(await isFree(service.url)).toBe(true);
});

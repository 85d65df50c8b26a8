import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { environmentOf, MAIN } from '../../scripts/support/service.ts';
import { isAlive } from '../../scripts/support/usage.ts';
import { until } from '../support/postgres/conditions.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { create, startLoad } from './support/load.ts';
import { ask } from './support/services.ts';
import { untilComplete, useWorkers, workersOf } from './support/workers.ts';

const makeFolder = temporaryFolders();
const start = useWorkers();

/** A request on a kept connection may cross the end of that connection, which cannot be prevented. */
const NEW_CONNECTIONS = { connection: 'close' };

test('workers that are stopped one by one answer their requests, and others replace them', async () => {
  const service = await start();
  const before = workersOf(service);
  const load = startLoad(service, 8, NEW_CONNECTIONS);
  await load.untilSeen('it serves', ({ status }) => status === 200, 100);
  for (const worker of before) {
    process.kill(worker, 'SIGTERM');
    await until('it has ended', async () => !isAlive(worker) || undefined);
    await untilComplete(service);
  }
  expect((await load.stop()).filter(({ status }) => status !== 200)).toEqual([]);
  expect(workersOf(service).filter((pid) => before.includes(pid))).toEqual([]);
  expect(await service.end()).toBe(0);
}, 90_000);

test('a worker that is killed is replaced', async () => {
  const service = await start();
  const [victim = 0, ...others] = workersOf(service);
  process.kill(victim, 'SIGKILL');
  const line = await until('it is logged', async () =>
    service.log.find(({ msg }) => msg === 'a worker has ended; another one starts'),
  );
  expect(line).toMatchObject({ level: 40, worker: victim, signal: 'SIGKILL', pause: 100 });
  await until('there are three again', async () => workersOf(service).length === 3 || undefined);
  expect(workersOf(service)).toEqual(expect.arrayContaining(others));
  expect((await create(service, 41)).status).toBe(200);
});

test('without the process that has started them, no worker stays', async () => {
  const service = await start();
  const workers = workersOf(service);
  await service.end('SIGKILL');
  await until('all have ended', async () => !workers.some(isAlive) || undefined);
  const { port } = new URL(service.url);
  const again = await start({ PORT: port }, service.folder);
  expect((await create(again, 1)).status).toBe(200);
});

test('while another process has locked the store every worker answers 503, and 200 again afterwards', async () => {
  const service = await start();
  const other = new DatabaseSync(join(service.folder, 'data/plants.db'));
  other.exec('BEGIN IMMEDIATE');
  const locked = await Promise.all(Array.from({ length: 30 }, (_, id) => create(service, id)));
  expect(new Set(locked.map(({ status }) => status))).toEqual(new Set([503]));
  other.exec('ROLLBACK');
  other.close();
  await until('it serves again', async () => (await create(service, 1)).status === 200 || undefined);
  expect((await ask(service, '/readyz')).status).toBe(200);
});

test('a stop makes every worker say that it is not ready, and serves until it is over', async () => {
  const service = await start({ DRAIN_MS: '1000' });
  const ended = service.end();
  await until('it is not ready', async () => (await ask(service, '/readyz')).status === 503 || undefined);
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(service, '/readyz')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect((await create(service, 1)).status).toBe(200);
  expect(await ended).toBe(0);
});

test('a changed file of tokens reaches every worker', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'tokens'), 'one:the-first-token\n');
  const service = await start({ ACCESS_TOKENS: '', ACCESS_TOKENS_FILE: 'tokens' }, folder);
  expect((await create(service, 1)).status).toBe(401);
  await writeFile(join(folder, 'next'), `two:${TOKEN}\n`);
  await rename(join(folder, 'next'), join(folder, 'tokens'));
  await until('all accept it', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, id) => create(service, id)));
    return answers.every(({ status }) => status === 200) || undefined;
  });
});

/** A pipe of the system: what Node gives a child for its output is a socket. */
const makePipe = async () => {
  const path = join(await makeFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(2 ** 16);
  /** Reads the rows. */
  const read = (): string => {
    try {
      return buffer.toString('utf8', 0, readSync(fd, buffer));
    } catch {
      return ''; // nothing
    }
  };
  return { path, read, close: () => closeSync(fd) };
};

test('the lines of all workers are whole, even if the log is read slowly', async () => {
  const pipe = await makePipe();
  const child = spawn('sh', ['-c', `exec "$0" "$1" > ${pipe.path}`, process.execPath, MAIN], {
    cwd: await makeFolder(),
    env: environmentOf({ WORKERS: '3', ACCESS_TOKENS: TOKEN, LOG_LEVEL: 'debug' }),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { address } = JSON.parse(await until('it listens', async () => pipe.read() || undefined));
  const askOften = async () => {
    for (let done = 0; done < 100; done += 1) await (await fetch(`${address}/healthz`)).text();
  };
  await Promise.all(Array.from({ length: 30 }, askOften)); // some 500 kB of lines, and a pipe holds 64
  const chunks: string[] = [];
  const isOver = once(child, 'exit').then(() => true);
  child.kill();
  while (!(await Promise.race([isOver, sleep(1)]))) chunks.push(pipe.read());
  for (let last = pipe.read(); last !== ''; last = pipe.read()) chunks.push(last);
  pipe.close();
  const lines = chunks
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ operation }) => operation === '/healthz')).toHaveLength(3000);
});

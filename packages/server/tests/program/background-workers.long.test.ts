import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figures, scrape } from '@trellis/test-support/exposition';
import { until } from '@trellis/test-support/postgres/conditions';
import { FROM_SOURCES } from '@trellis/test-support/samples';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { type ServiceProcess, type Settings, startProcess } from '../../../../scripts/support/service.ts';
import { childrenOf } from '../../../../scripts/support/usage.ts';
import { TOKEN } from '../support/service.ts';

const PROGRAM = fileURLToPath(new URL('background/program.ts', import.meta.url));
const makeFolder = temporaryFolders();

const started: ServiceProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((service) => service.end('SIGKILL'))));

interface Noted {
  readonly event: string;
  readonly pid: number;
}

const start = async (settings: Settings = {}) => {
  const folder = await makeFolder();
  const service = await startProcess(folder, { ACCESS_TOKENS: TOKEN, ...settings }, PROGRAM, {
    flags: FROM_SOURCES,
  });
  started.push(service);
  /** The events of the tasks and the store, in order. */
  const read = async (): Promise<Noted[]> =>
    (await readFile(join(folder, 'events'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  /** Waits until the task has begun `count` times. Returns the ids of the processes that ran it. */
  const runners = (count: number): Promise<number[]> =>
    until(
      `it runs for the ${count}th time`,
      async () => {
        const pids = (await read()).filter(({ event }) => event === 'begin').map(({ pid }) => pid);
        return pids.length >= count ? pids : undefined;
      },
      30_000,
    );
  return { ...service, read, runners };
};

const warnings = ({ log }: ServiceProcess) => log.filter(({ level }) => Number(level) > 30);

test('SIGTERM aborts tasks at once, serves during the drain, and closes the store after both', async () => {
  const service = await start({ DRAIN_MS: '1500' });
  await service.runners(1);
  const ended = service.end();
  await until('the task has ended', async () => (await service.read()).length === 2 || undefined);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await ended).toBe(0);
  expect((await service.read()).map(({ event }) => event)).toEqual(['begin', 'end', 'close']);
  expect(warnings(service)).toEqual([]);
}, 60_000);

test('a task that does not end is given up after 10 s, with a warning', async () => {
  const service = await start({ TASKS: 'deaf' });
  await service.runners(1);
  const begun = performance.now();
  expect(await service.end()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(13_000);
  expect(warnings(service)).toMatchObject([
    { tasks: ['deaf'], msg: 'background tasks did not end in time; the service stops anyway' },
  ]);
  expect((await service.read()).map(({ event }) => event)).toEqual(['begin', 'end', 'close']);
}, 60_000);

test('of two workers one runs the tasks; if it is killed, the other one does', async () => {
  const service = await start({ WORKERS: '2' });
  const [first = 0] = await service.runners(1);
  expect(childrenOf(service.pid)).toContain(first);
  expect(figures(await scrape(service), 'background_running')).toEqual({ steady: 1 });
  process.kill(first, 'SIGKILL');
  const [, second] = await service.runners(2);
  expect(second).not.toBe(first);
  await until('there are two again', async () => childrenOf(service.pid).length === 2 || undefined, 30_000);
  expect(await service.end()).toBe(0);
  // The worker that came last never had the turn.
  const noted = (await service.read()).filter(({ event }) => event !== 'close');
  expect(noted.map(({ pid }) => pid)).toEqual([first, second, second]);
}, 90_000);

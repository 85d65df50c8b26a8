import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figures, scrape } from '@trellis/test-support/exposition';
import { until } from '@trellis/test-support/postgres/conditions';
import { usePostgres } from '@trellis/test-support/postgres/postgres';
import { FROM_SOURCES } from '@trellis/test-support/samples';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { type ServiceProcess, startProcess } from '../../../../scripts/support/service.ts';
import { TOKEN } from '../support/service.ts';

const PROGRAM = fileURLToPath(new URL('background/program.ts', import.meta.url));
const makeFolder = temporaryFolders();
const postgres = usePostgres();

const started: ServiceProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((service) => service.end('SIGKILL'))));

test('of two services on one PostgreSQL one runs the tasks, and the other one when that is killed or stopped', async () => {
  const folder = await makeFolder();
  const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: await postgres.createDatabase() };
  const start = async () => {
    const service = await startProcess(folder, settings, PROGRAM, { flags: FROM_SOURCES });
    started.push(service);
    return service;
  };
  /** The events of the task in all services, in order: they share a folder. */
  const read = async (): Promise<string[]> =>
    (await readFile(join(folder, 'events'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .map(({ event, pid }) => `${event} ${pid}`);
  const untilBegun = ({ pid }: ServiceProcess) =>
    until('it runs the task', async () => (await read()).includes(`begin ${pid}`) || undefined, 30_000);
  const isRunning = async (service: ServiceProcess) =>
    figures(await scrape(service), 'background_running').steady;

  const first = await start();
  await untilBegun(first);
  const second = await start();
  const waiting = await start();
  expect(await Promise.all([first, second, waiting].map(isRunning))).toEqual([1, 0, 0]);

  await waiting.end('SIGKILL'); // it holds nothing, and takes nothing with it
  await first.end('SIGKILL');
  await untilBegun(second);

  const third = await start();
  expect(await Promise.all([second, third].map(isRunning))).toEqual([1, 0]);
  expect(await second.end('SIGTERM')).toBe(0);
  await untilBegun(third);
  expect(await third.end('SIGTERM')).toBe(0);

  const [one, two, three] = [first.pid, second.pid, third.pid];
  expect(await read()).toEqual([
    `begin ${one}`,
    `begin ${two}`,
    `end ${two}`,
    `begin ${three}`,
    `end ${three}`,
  ]);
}, 120_000);

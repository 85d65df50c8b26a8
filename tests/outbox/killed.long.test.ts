import { fileURLToPath } from 'node:url';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { type ServiceProcess, type Settings, startProcess } from '../../scripts/support/service.ts';
import { childrenOf } from '../../scripts/support/usage.ts';
import { usePostgres } from '../support/postgres/postgres.ts';
import { FROM_SOURCES } from '../support/samples.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { expectAllTold, startClients } from './clients.ts';
import { startReceiver } from './receiver.ts';

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));
const makeFolder = temporaryFolders();
const postgres = usePostgres();

const started: ServiceProcess[] = [];
const receivers: { goDown(): void }[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.end('SIGKILL')));
  for (const receiver of receivers.splice(0)) receiver.goDown();
});

const STORES: Readonly<Record<string, () => Promise<Settings>>> = {
  'one process on SQLite': async () => ({}),
  'two workers on SQLite': async () => ({ WORKERS: '2' }),
  'two workers on PostgreSQL': async () => ({ WORKERS: '2', DATABASE_URL: await postgres.createDatabase() }),
};

test.each(Object.entries(STORES))(
  '%s: with a receiver that is down, slow or failing, and kill -9, every event arrives, in order by key',
  async (_, settingsOf) => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const folder = await makeFolder();
    const settings: Settings = { ACCESS_TOKENS: TOKEN, RECEIVER: receiver.url, ...(await settingsOf()) };
    const start = async () => {
      const service = await startProcess(folder, settings, PROGRAM, { flags: FROM_SOURCES });
      started.push(service);
      return service;
    };
    let service = await start();
    const clients = startClients(() => service);
    await clients.untilMore(50);

    receiver.goDown();
    await clients.untilMore(50);
    await receiver.comeBack();
    for (const mood of ['moody', 'slow', 'failing', 'up', 'moody'] as const) {
      receiver.become(mood);
      await clients.untilMore(50);
      const [worker] = childrenOf(service.pid);
      if (settings.WORKERS && worker !== undefined) process.kill(worker, 'SIGKILL');
      await clients.untilMore(50);
      await service.end('SIGKILL');
      service = await start();
    }
    await expectAllTold(clients, receiver);
    expect(await service.end()).toBe(0);
  },
  400_000,
);

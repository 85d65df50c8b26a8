import { fileURLToPath } from 'node:url';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { type ServiceProcess, startProcess } from '../../scripts/support/service.ts';
import { figures, scrape } from '../support/exposition.ts';
import { until } from '../support/postgres/conditions.ts';
import { usePostgres } from '../support/postgres/postgres.ts';
import { FROM_SOURCES } from '../support/samples.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { expectAllTold, startClients } from './clients.ts';
import { startReceiver } from './receiver.ts';

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));
const makeFolder = temporaryFolders();
const postgres = usePostgres();

const services: ServiceProcess[] = [];
const receivers: { goDown(): void }[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.end('SIGKILL')));
  for (const receiver of receivers.splice(0)) receiver.goDown();
});

/** Whether a service is the one that delivers. */
const delivers = async (service: ServiceProcess): Promise<boolean> =>
  figures(await scrape(service), 'background_running').outbox === 1;

/** The services that deliver, once there are any. */
const findDeliverers = () =>
  until(
    'a service delivers',
    async () => {
      const found = [];
      for (const service of services) if (await delivers(service)) found.push(service);
      return found.length > 0 ? found : undefined;
    },
    30_000,
  );

test('two services on one PostgreSQL: when the service that delivers is killed or stopped, the other delivers, in order by key', async () => {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const folder = await makeFolder();
  const settings = {
    ACCESS_TOKENS: TOKEN,
    RECEIVER: receiver.url,
    DATABASE_URL: await postgres.createDatabase(),
  };
  const add = async () => {
    services.push(await startProcess(folder, settings, PROGRAM, { flags: FROM_SOURCES }));
  };
  await Promise.all([add(), add()]);
  let turn = 0;
  const clients = startClients(() => {
    turn += 1;
    return services[turn % services.length] ?? { url: '' };
  });

  for (const [signal, code] of [
    ['SIGKILL', null],
    ['SIGTERM', 0],
    ['SIGKILL', null],
    ['SIGTERM', 0],
  ] as const) {
    await clients.untilMore(50);
    const [deliverer, ...more] = await findDeliverers();
    expect(more).toHaveLength(0);
    receiver.become('moody');
    await clients.untilMore(20); // while it delivers
    const index = deliverer ? services.indexOf(deliverer) : -1;
    const [ended] = services.splice(index, 1);
    expect(await ended?.end(signal)).toBe(code);
    const arrived = receiver.told.length;
    receiver.become('up');
    await until('the other one delivers', async () => receiver.told.length > arrived || undefined, 30_000);
    await add();
  }
  await expectAllTold(clients, receiver);
  for (const service of services.splice(0)) expect(await service.end()).toBe(0);
}, 300_000);

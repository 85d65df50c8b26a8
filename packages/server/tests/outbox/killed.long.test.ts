import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, type Settings, startProcess } from '../../../../scripts/support/service.ts';
import { workersOf } from '../../../../scripts/support/usage.ts';
import { until } from '../../../../tests/support/postgres/conditions.ts';
import { usePostgres } from '../../../../tests/support/postgres/postgres.ts';
import { FROM_SOURCES } from '../../../../tests/support/samples.ts';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { post, TOKEN } from '../support/service.ts';
import { startReceiver, type Told } from './receiver.ts';

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));
const KEYS = ['a', 'b', 'c', 'd', 'e'];
const makeFolder = temporaryFolders();
const postgres = usePostgres();

const started: ServiceProcess[] = [];
const receivers: { goDown(): void }[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.end('SIGKILL')));
  for (const receiver of receivers.splice(0)) receiver.goDown();
});

/** The count in a reply; 0 if the service was killed while it sent it. */
const countIn = (body: unknown): number =>
  typeof body === 'object' && body !== null && 'name' in body ? Number(body.name) : 0;

/** Creates things without a pause, and keeps what was acknowledged: how far each key has been counted. */
const startClients = (find: () => { url: string }, clients = 4) => {
  const acknowledged = new Map<string, number>();
  let isStopped = false;
  let count = 0;
  const run = async (client: number): Promise<void> => {
    for (let id = client; !isStopped; id += clients) {
      const tag = KEYS[id % KEYS.length] ?? '';
      const reply = await post(find(), JSON.stringify({ id, name: 'x', tag })).catch(() => undefined);
      const n = reply?.status === 200 ? countIn(await reply.json().catch(() => undefined)) : 0;
      if (n === 0) await sleep(20);
      else acknowledged.set(tag, Math.max(acknowledged.get(tag) ?? 0, n));
      count += n === 0 ? 0 : 1;
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return {
    acknowledged,
    untilMore: (more: number) => {
      const target = count + more;
      return until(`${more} more creates`, async () => count >= target || undefined, 60_000);
    },
    async stop() {
      isStopped = true;
      await done;
      return count;
    },
  };
};

/** What came out of order: each event of a key must be the one before it again, or the next. */
const disorder = (told: readonly Told[]) => {
  const last = new Map<string, number>();
  return told.filter(({ key, n }) => {
    const before = last.get(key) ?? 0;
    last.set(key, n);
    return n !== before && n !== before + 1;
  });
};

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
      const [worker] = workersOf(service.pid);
      if (settings.WORKERS && worker !== undefined) process.kill(worker, 'SIGKILL');
      await clients.untilMore(50);
      await service.end('SIGKILL');
      service = await start();
    }
    const count = await clients.stop();
    receiver.become('up');

    const lastOf = (key: string) => receiver.told.findLast((told) => told.key === key)?.n ?? 0;
    await until(
      'all that was acknowledged has arrived',
      async () => [...clients.acknowledged].every(([key, n]) => lastOf(key) >= n) || undefined,
      60_000,
    );
    expect(clients.acknowledged.size).toBe(KEYS.length);
    expect(disorder(receiver.told)).toEqual([]);
    const ids = new Set(receiver.told.map(({ id }) => id));
    const events = new Set(receiver.told.map(({ key, n }) => `${key} ${n}`));
    expect(ids.size).toBe(events.size); // an event that is repeated has the same id
    console.info(`${count} acknowledged, ${events.size} events, ${receiver.told.length} arrivals`);
    expect(await service.end()).toBe(0);
  },
  400_000,
);

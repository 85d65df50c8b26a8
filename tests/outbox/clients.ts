import { setTimeout as sleep } from 'node:timers/promises';
import { post } from '../../packages/server/tests/support/service.ts';
import { until } from '../support/postgres/conditions.ts';
import type { startReceiver, Told } from './receiver.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];

/** The count in a reply; 0 if the service was killed while it sent it. */
const countIn = (body: unknown): number =>
  typeof body === 'object' && body !== null && 'name' in body ? Number(body.name) : 0;

/** Creates things without a pause, and records how far each key has been acknowledged. */
export const startClients = (find: () => { url: string }, clients = 4) => {
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

/** Finds events that arrived out of order: each event of a key must repeat the previous event, or be the next. */
const disorder = (told: readonly Told[]) => {
  const last = new Map<string, number>();
  return told.filter(({ key, n }) => {
    const before = last.get(key) ?? 0;
    last.set(key, n);
    return n !== before && n !== before + 1;
  });
};

/** Stops the clients, waits for the events of all that was acknowledged, and looks at them. */
export const expectAllTold = async (
  clients: ReturnType<typeof startClients>,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<void> => {
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
};

import { setTimeout as sleep } from 'node:timers/promises';
import {
  createDelivery,
  createWebhooks,
  type DeliveryContext,
  DeliveryFailed,
  type OutboxEvent,
  type OutboxOptions,
} from '@trellis/outbox';
import type { Transaction } from 'kysely';
import { until } from '../support/databases.ts';
import { receivers } from '../webhooks/receiver.ts';
import { outboxes, type Tables } from './open-outbox.ts';

interface Declared {
  newBooking: {
    post: { requestBody: { content: { 'application/json': { id: bigint; seat: string } } } };
  };
}

const contract = new URL('../webhooks/bookings.yaml', import.meta.url);

/** The promises of every outbox to receivers that answer, whatever other receivers do. */
export const promiseToBeFair = (makeUrl: () => Promise<string>): void => {
  const open = outboxes(makeUrl);
  const startReceiver = receivers();

  /** Opens an outbox with the limits of a user, that sends webhooks to URLs. */
  const openWebhooks = async () => {
    const deliver = createDelivery({ secrets: [], allow: ['127.0.0.1'] });
    const opened = await open({
      deliver: { webhooks: deliver },
      timeout: 30_000,
      firstPause: 1000,
      pollEvery: 1000,
    });
    const { data, outbox } = opened;
    const webhooks = createWebhooks<Declared, Transaction<Tables>>({ contract, outbox });
    return {
      ...opened,
      send: (urls: readonly string[]) =>
        data.transaction(async (tx) => {
          for (const url of urls)
            await webhooks.send(tx, 'newBooking', { url, key: url, body: { id: 1n, seat: '1' } });
        }),
    };
  };

  test.each([
    ['one hanging receiver', 1],
    ['40 hanging receivers', 40],
  ])('40 webhooks to URLs of %s do not delay a webhook to another receiver', async (_, count) => {
    const hanging = await Promise.all(Array.from({ length: count }, () => startReceiver(() => {})));
    const good = await startReceiver();
    const { send, start } = await openWebhooks();
    await send(Array.from({ length: 40 }, (_, index) => `${hanging[index % count]?.url}/${index}`));
    start();
    await until('they hang', async () => hanging.every(({ received }) => received.length > 0) || undefined);
    await send([good.url]);
    const sentAt = performance.now();
    await until('the good one has arrived', async () => good.received.length === 1 || undefined);
    expect(performance.now() - sentAt).toBeLessThan(1000);
  });

  test('a webhook with a URL of 2,000 characters as its key arrives', async () => {
    const receiver = await startReceiver();
    const { send, start } = await openWebhooks();
    await send([`${receiver.url}?${'q'.repeat(2000)}`]);
    start();
    await until('it has arrived', async () => receiver.received.length === 1 || undefined);
    expect(receiver.received[0]?.url).toBe(`/hooks?${'q'.repeat(2000)}`);
  });

  /** Follows the deliveries that are under way, by receiver, the first word of the payload, and first or later attempt. */
  const follow = (work: (text: string, attempt: number) => Promise<unknown>) => {
    const ongoing: string[] = [];
    const most = new Map<string, number>();
    const begun: { text: string; attempt: number; at: number }[] = [];
    const delivered: string[] = [];
    const deliver = async ({ payload: text }: OutboxEvent<string>, { attempt }: DeliveryContext) => {
      const [name = ''] = text.split(' ');
      const receiver = attempt > 1 ? `${name} again` : name;
      ongoing.push(receiver);
      begun.push({ text, attempt, at: performance.now() });
      most.set(
        receiver,
        Math.max(most.get(receiver) ?? 0, ongoing.filter((each) => each === receiver).length),
      );
      try {
        await Promise.race([
          work(text, attempt),
          sleep(100).then(() => Promise.reject(new Error('too late'))),
        ]);
        delivered.push(text);
      } finally {
        ongoing.splice(ongoing.indexOf(receiver), 1);
      }
    };
    return { deliver, most, begun, delivered };
  };

  const openFollowed = async (
    { deliver }: ReturnType<typeof follow>,
    limits: Omit<Partial<OutboxOptions>, 'deliver'>,
  ) => {
    const opened = await open({ deliver: { news: deliver }, ...limits });
    const { data, outbox } = opened;
    return {
      ...opened,
      /** Adds events for a receiver, each with another key if none is given. */
      addFor: (receiver: string | undefined, texts: readonly string[], key?: string) =>
        data.transaction(async (tx) => {
          for (const payload of texts)
            await outbox.add(tx, {
              topic: 'news',
              payload,
              ...(receiver !== undefined && { receiver }),
              ...(key !== undefined && { key }),
            });
        }),
    };
  };

  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name} ${index}`);

  test('a slow receiver with many events has half of the deliveries at once, and others go past it', async () => {
    const followed = follow(() => sleep(50));
    const { addFor, start } = await openFollowed(followed, { concurrency: 6 });
    await addFor('slow', numbered('slow', 100));
    start();
    await until('it is busy', async () => followed.delivered.length > 0 || undefined);
    await addFor('good', ['good']);
    await until('the good one has its event', async () => followed.delivered.includes('good') || undefined);
    expect(followed.delivered.length).toBeLessThan(50);
    expect(followed.most.get('slow')).toBe(3);
    await until('the slow one has them all', async () => followed.delivered.length === 101 || undefined);
  });

  test('among many busy receivers each has its turn', async () => {
    const followed = follow(() => sleep(50));
    const { addFor, start } = await openFollowed(followed, { concurrency: 4 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await addFor(name, numbered(name, 40));
    start();
    await until('they are busy', async () => followed.delivered.length > 8 || undefined);
    const before = followed.begun.length;
    await addFor('new', numbered('new', 2));
    await until('it has its turns', async () => followed.delivered.includes('new 1') || undefined);
    const turns = followed.begun.slice(before).map(({ text }) => text.split(' ')[0]);
    expect(turns.length).toBeLessThan(20);
    expect(new Set(turns)).toEqual(new Set(['a', 'b', 'c', 'd', 'e', 'new']));
  });

  test('a receiver that does not answer is tried once at a time, after pauses that grow, until it answers', async () => {
    let isUp = false;
    const followed = follow((text) => (isUp || text === 'good' ? Promise.resolve() : new Promise(() => {})));
    const { addFor, start } = await openFollowed(followed, {
      perReceiver: 3,
      firstPause: 100,
      longestPause: 10_000,
    });
    await addFor('down', numbered('down', 30));
    start();
    await sleep(1300);
    const times = followed.begun.map(({ at }) => at);
    expect(times.length).toBeLessThan(7); // 3 at once, then after 200 ms, 300 ms, 500 ms
    expect(times.length).toBeGreaterThan(4);
    const [first = 0, , , fourth = 0, fifth = 0] = times; // the first that fails begins the pause
    expect(fourth - first).toBeGreaterThan(195);
    expect(fifth - fourth).toBeGreaterThan(295);
    isUp = true;
    await until('all have arrived', async () => followed.delivered.length === 30 || undefined);
  });

  test('a receiver that answers with an error has no pause, only the key of the event has', async () => {
    const followed = follow(async (text) => {
      if (text === 'news bad') throw new DeliveryFailed('answered 500', { isReceiverUp: true });
    });
    const { addFor, start } = await openFollowed(followed, { firstPause: 5000, longestPause: 5000 });
    await addFor('news', ['news bad', 'news next'], 'a');
    start();
    await until('it was tried', async () => followed.begun.length === 1 || undefined);
    await addFor('news', ['news good'], 'b');
    await until('the other key arrives', async () => followed.delivered.length === 1 || undefined);
    expect(followed.delivered).toEqual(['news good']);
  });

  test('the pause of a receiver ends early once 1,000 others have failed since', async () => {
    const followed = follow((text) =>
      text === 'good' ? Promise.resolve() : Promise.reject(new Error('down')),
    );
    const { data, outbox, addFor, start } = await openFollowed(followed, {
      firstPause: 60_000,
      longestPause: 60_000,
    });
    await addFor('first', ['down']);
    start();
    await until('it has failed', async () => followed.begun.length === 1 || undefined);
    await addFor('first', ['good']);
    const failOthers = (from: number, count: number) =>
      data.transaction(async (tx) => {
        for (const receiver of numbered(`other ${from}`, count))
          await outbox.add(tx, { topic: 'news', receiver, payload: 'down' });
      });
    await failOthers(1, 999);
    await until('they have failed', async () => followed.begun.length === 1000 || undefined);
    expect(followed.delivered).toEqual([]);
    await failOthers(2, 1);
    await until('the first has its event', async () => followed.delivered.length === 1 || undefined);
  });

  test('events that have failed before have half of the deliveries at once', async () => {
    const followed = follow((text) => (text === 'good' ? Promise.resolve() : new Promise(() => {})));
    const { addFor, start } = await openFollowed(followed, { concurrency: 6, maxAttempts: 1000 });
    await addFor(undefined, numbered('down', 20));
    start();
    const tried = () => new Set(followed.begun.map(({ text }) => text)).size;
    await until('all were tried', async () => tried() === 20 || undefined);
    await sleep(300);
    await addFor(undefined, ['good']);
    await until('it arrives', async () => followed.delivered.length === 1 || undefined);
    expect([followed.most.get('down'), followed.most.get('down again')]).toEqual([6, 3]);
  });

  test('a key has a separate order at each receiver', async () => {
    const followed = follow((text) => (text.startsWith('down') ? new Promise(() => {}) : sleep(10)));
    const { addFor, start } = await openFollowed(followed, {});
    for (let round = 0; round < 3; round += 1) {
      await addFor('down', [`down ${round}`], 'order 1');
      await addFor('good', [`good ${round}`], 'order 1');
    }
    start();
    await until('the good one has them all', async () => followed.delivered.length === 3 || undefined);
    expect(followed.delivered).toEqual(['good 0', 'good 1', 'good 2']);
  });
};

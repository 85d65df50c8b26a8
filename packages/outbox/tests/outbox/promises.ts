import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { createOutbox, DeliveryFailed, type OutboxEvent, type OutboxOptions } from '@trellis/outbox';
import { until } from '../support/databases.ts';
import { outboxes, QUICK } from './open-outbox.ts';

type Event = OutboxEvent<unknown>;

/** The promises of every outbox, whatever its database. */
export const promiseToDeliver = (makeUrl: () => Promise<string>): void => {
  const open = outboxes(makeUrl);

  const collect = () => {
    const events: Event[] = [];
    const deliver = async (event: Event) => void events.push(event);
    const untilThere = (count: number) =>
      until(`${count} events`, async () => (events.length >= count ? events : undefined));
    return { events, deliver, untilThere };
  };

  test('an event is delivered once its transaction is committed, and not at all if that is rolled back', async () => {
    const { events, deliver, untilThere } = collect();
    const { data, outbox, start } = await open({ deliver: { news: deliver } });
    start();
    const rolledBack = data.transaction(async (tx) => {
      await outbox.add(tx, { topic: 'news', key: 'a', payload: 'never' });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    const before = Date.now();
    const id = await data.transaction(async (tx) => {
      const added = await outbox.add(tx, { topic: 'news', key: 'a', payload: { text: 'hello \0 \ud800' } });
      await sleep(50);
      expect(events).toEqual([]);
      return added;
    });
    const [event] = await untilThere(1);
    expect(event).toEqual({
      id,
      topic: 'news',
      key: 'a',
      payload: { text: 'hello \0 \ud800' },
      created: expect.any(Date),
    });
    expect(event?.created.getTime()).toBeGreaterThanOrEqual(before);
    await until('it is forgotten', async () => {
      const rows = await data.db.selectFrom('outbox_keys').selectAll().execute();
      return rows.length === 0 || undefined;
    });
    expect(await data.db.selectFrom('outbox_events').selectAll().execute()).toEqual([]);
  });

  test('events of a key wait for the previous event, while other keys are delivered', async () => {
    const delivered: unknown[] = [];
    let failures = 3;
    const deliver = async ({ payload }: Event) => {
      if (payload === 'a1' && failures > 0) {
        failures -= 1;
        throw new Error('not yet');
      }
      delivered.push(payload);
    };
    const { add, start } = await open({ deliver: { news: deliver, other: deliver } });
    for (const payload of ['a1', 'a2', 'a3']) await add(payload, 'a', payload === 'a2' ? 'other' : 'news');
    await add('b1', 'b');
    await add('alone');
    start();
    await until('all are delivered', async () => delivered.length === 5 || undefined);
    expect(delivered.filter((payload) => `${payload}`.startsWith('a') && payload !== 'alone')).toEqual([
      'a1',
      'a2',
      'a3',
    ]);
    expect(delivered.slice(0, 2).toSorted()).toEqual(['alone', 'b1']);
  });

  test('at most one event per key is under way, and at most `concurrency` keys', async () => {
    const busy = new Set<string>();
    let most = 0;
    const delivered: unknown[] = [];
    const deliver = async ({ key, payload }: Event) => {
      if (busy.has(key)) throw new Error('two at once');
      busy.add(key);
      most = Math.max(most, busy.size);
      await sleep(10);
      busy.delete(key);
      delivered.push(payload);
    };
    const { add, start, lines } = await open({ deliver: { news: deliver }, concurrency: 3 });
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(index, `key ${index % 5}`)));
    start();
    await until('all are delivered', async () => delivered.length === 40 || undefined);
    expect(most).toBe(3);
    expect(lines).toEqual([]);
  });

  test('events of transactions that collide are delivered in the order of their commits', async () => {
    const { events, deliver, untilThere } = collect();
    const { data, outbox, start } = await open({ deliver: { news: deliver } });
    start();
    const count = () =>
      data.transaction(async (tx) => {
        const { n } = await tx
          .insertInto('counters')
          .values({ name: 'a', n: 1n })
          .onConflict((conflict) =>
            conflict.column('name').doUpdateSet((eb) => ({ n: eb('counters.n', '+', 1n) })),
          )
          .returning('n')
          .executeTakeFirstOrThrow();
        await outbox.add(tx, { topic: 'news', key: 'a', payload: Number(n) });
      });
    for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 6 }, count));
    await untilThere(30);
    expect(events.map(({ payload }) => payload)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test('attempts are counted across restarts, and pauses grow', async () => {
    const attempts: { attempt: number; at: number }[] = [];
    const deliver = async (_: Event, { attempt }: { attempt: number }) => {
      attempts.push({ attempt, at: performance.now() });
      throw new Error(`attempt ${attempt}`);
    };
    const first = await open({ deliver: { news: deliver } });
    await first.add('x', 'a');
    const stop = first.start();
    await until('two attempts', async () => attempts.length >= 2 || undefined);
    await stop();
    const again = await createOutboxOn(first, deliver);
    const stopAgain = again();
    await until('five attempts', async () => attempts.length >= 5 || undefined);
    await stopAgain();
    expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index + 1));
    const pauseOf = (index: number) => (attempts[index]?.at ?? 0) - (attempts[index - 1]?.at ?? 0);
    expect(pauseOf(4)).toBeGreaterThan(110); // 20 × 2³ × 0.75, less what clocks round
    expect(first.lines[0]).toMatchObject({
      level: 'warn',
      message: 'an event was not delivered; it is tried again',
      topic: 'news',
      key: 'a',
      attempts: 1,
      err: new Error('attempt 1'),
    });
  });

  /** The task of another outbox on the same data. */
  const createOutboxOn = async (
    { data }: Awaited<ReturnType<typeof open>>,
    deliver: OutboxOptions['deliver'][string],
  ) => {
    const { task } = createOutbox(data, { ...QUICK, deliver: { news: deliver } });
    return () => {
      const stopping = new AbortController();
      const ignore = () => {};
      const ended = task.run({
        signal: stopping.signal,
        log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      });
      return async () => {
        stopping.abort();
        await ended;
      };
    };
  };

  test('an event that fails too often is a dead letter: its key continues, and it can be retried or discarded', async () => {
    const delivered: unknown[] = [];
    let isUp = false;
    const deliver = async ({ payload }: Event) => {
      if (payload === 'bad' && !isUp) throw new Error('no \0 way');
      delivered.push(payload);
    };
    const { outbox, add, start, lines } = await open({ deliver: { news: deliver }, maxAttempts: 3 });
    const id = await add('bad', 'a');
    await add('good', 'a');
    start();
    await until('the next one is delivered', async () => delivered.length === 1 || undefined);
    expect(delivered).toEqual(['good']);
    expect(await outbox.deadLetters()).toEqual([
      {
        id,
        topic: 'news',
        key: 'a',
        payload: '"bad"',
        created: expect.any(Date),
        died: expect.any(Date),
        reason: 'no \ufffd way',
      },
    ]);
    expect(await outbox.deadLetters({ after: id })).toEqual([]);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'an event was given up; it is a dead letter now',
      event: id,
      attempts: 3,
    });
    isUp = true;
    expect(await outbox.retry(id)).toBe(true);
    await until('it is delivered', async () => delivered.length === 2 || undefined);
    expect([await outbox.retry(id), await outbox.discard(id), await outbox.deadLetters()]).toEqual([
      false,
      false,
      [],
    ]);
  });

  test('a failure that is permanent is not repeated, nor is an event that nothing delivers left out', async () => {
    let attempts = 0;
    const deliver = async () => {
      attempts += 1;
      throw new DeliveryFailed('gone', { isPermanent: true });
    };
    const { outbox, add, start } = await open({ deliver: { news: deliver }, maxAttempts: 2 });
    start();
    const gone = await add('x', 'a');
    const unknown = await add('y', 'b', 'nothing');
    const dead = await until('both are dead', async () => {
      const letters = await outbox.deadLetters();
      return letters.length === 2 ? letters : undefined;
    });
    expect(attempts).toBe(1);
    expect(Object.fromEntries(dead.map(({ id, reason }) => [id, reason]))).toEqual({
      [gone]: 'gone',
      [unknown]: 'nothing delivers the topic "nothing"; add it to `deliver`',
    });
    expect([await outbox.discard(gone), (await outbox.deadLetters()).length]).toEqual([true, 1]);
  });

  test('a receiver is paused for as long as it requests', async () => {
    const times: number[] = [];
    const deliver = async () => {
      times.push(performance.now());
      if (times.length === 1) throw new DeliveryFailed('later', { retryAfter: 400 });
    };
    const { add, start } = await open({ deliver: { news: deliver }, longestPause: 1000 });
    start();
    await add('x', 'a');
    await until('it is tried again', async () => times.length === 2 || undefined);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(395);
  });

  test('a delivery that does not end has failed when its time is over', async () => {
    const signals: AbortSignal[] = [];
    const deliver = (_: Event, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => {}) : Promise.resolve();
    };
    const { add, start, lines } = await open({ deliver: { news: deliver }, timeout: 100 });
    start();
    await add('x', 'a');
    await until('it is tried again', async () => signals.length === 2 || undefined);
    expect(signals[0]?.aborted).toBe(true);
    expect(lines[0]).toMatchObject({ err: new Error('the delivery took longer than 100 ms') });
  });

  test('a stop waits for a delivery under way, and begins no other', async () => {
    const { events, deliver, untilThere } = collect();
    const slow = async (event: Event) => {
      await deliver(event);
      await sleep(200);
    };
    const { data, add, start } = await open({ deliver: { news: slow } });
    await add(1, 'a');
    await add(2, 'a');
    const stop = start();
    await untilThere(1);
    await stop();
    expect(events).toHaveLength(1);
    const left = await data.db.selectFrom('outbox_events').select('payload').execute();
    expect(left).toEqual([{ payload: '2' }]);
  });

  test('metrics show the delivered events, the waiting events, and how long they have waited', async () => {
    const { deliver } = collect();
    const hold = async () => {
      throw new Error('down');
    };
    const { outbox, add, start } = await open({
      deliver: { news: deliver, held: hold },
      firstPause: 60_000,
      longestPause: 60_000,
    });
    const valuesOf = () =>
      Object.fromEntries(
        (outbox.task.metrics?.() ?? []).flatMap(({ name, values }) =>
          values.map(({ labels, value }) => [[name, ...Object.values(labels ?? {})].join(' '), value]),
        ),
      );
    expect(valuesOf()).not.toHaveProperty('outbox_pending');
    await add('x', 'a', 'held');
    await add('y', 'a');
    await add('z', 'b');
    await sleep(20);
    const stop = start();
    const values = await until('both were tried', async () => {
      const seen = valuesOf();
      return seen['outbox_delivered_total news'] === 1 && seen['outbox_failures_total held'] === 1
        ? seen
        : undefined;
    });
    expect(values).toMatchObject({ outbox_pending: 3, outbox_dead_letters: 0, 'outbox_dead_total held': 0 });
    expect(values.outbox_oldest_seconds).toBeGreaterThan(0.019);
    await stop();
    expect(valuesOf()).not.toHaveProperty('outbox_pending');
  });

  test('any text is a key, and its events keep their order', async () => {
    const { events, deliver, untilThere } = collect();
    const { add, start } = await open({ deliver: { news: deliver } });
    const keys = ['', 'ключ'.repeat(125), 'k'.repeat(501), 'a\0b', '\ud800', '0123456789abcdef\u001fkey'];
    for (const key of keys) for (const n of [1, 2, 3]) await add(n, key);
    start();
    await untilThere(18);
    const payloadsOf = (key: string) =>
      events.filter((each) => each.key === key).map(({ payload }) => payload);
    const seen = [...new Set(events.map(({ key }) => key))];
    expect(seen.map(payloadsOf)).toEqual(keys.map(() => [1, 2, 3]));
    const hash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(seen.toSorted()).toEqual([...keys.slice(0, 2), hash, hash, hash, hash].toSorted());
  });

  test('a clock that is set back does not delay events or attempts', async () => {
    const { events, deliver, untilThere } = collect();
    const fails = async (event: Event, { attempt }: { attempt: number }) => {
      if (attempt < 3) throw new Error('not yet');
      await deliver(event);
    };
    const { add, start } = await open({ deliver: { news: fails } });
    await add('before', 'a');
    const clock = jest.spyOn(Date, 'now');
    try {
      const real = Date.now();
      clock.mockImplementation(() => real - 3_600_000);
      start();
      await add('after', 'b');
      await untilThere(2);
    } finally {
      clock.mockRestore();
    }
    expect(events).toHaveLength(2);
  });

  test('events that a process with a wrong clock has added are delivered soon, and failures wait no longer than the longest pause', async () => {
    const { deliver, untilThere } = collect();
    const { data, add, start } = await open({ deliver: { news: deliver } });
    for (const key of ['a', 'b', 'c']) await add(key, key);
    const due = BigInt(Date.now()) + 3_600_000n;
    await data.db.updateTable('outbox_keys').set({ due }).where('key', '=', 'a').execute();
    await data.db.updateTable('outbox_keys').set({ due, failures: 1n }).where('key', '=', 'b').execute();
    start();
    const events = await untilThere(3);
    expect(events.map(({ key }) => key).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('values that a database or JSON cannot hold are refused, with the remedy', async () => {
    const { add } = await open({ deliver: {} });
    await expect(add({ id: 1n })).rejects.toThrow(
      'JSON has no bigint: make a text of "id" in the payload of the event',
    );
    await expect(add(undefined)).rejects.toThrow('an event needs a payload; null will do');
    await expect(add(1, 'k', 'a\0b')).rejects.toThrow(
      'the topic of an event must have at most 500 characters',
    );
    await expect(add(null, 'ключ'.repeat(125))).resolves.toMatch(/^[0-9a-f-]{36}$/);
  });
};

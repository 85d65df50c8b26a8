import { once } from 'node:events';
import { type BackgroundTask, createService, createStaticTokens, every, type Store } from '@trellis/server';
import { figures, scrape } from '@trellis/test-support/exposition';
import { until } from '@trellis/test-support/postgres/conditions';
import express from 'express';
import type { TakeLock } from '../../src/background/task.ts';
import { expressServers } from '../support/express.ts';
import { THINGS_FILE, TOKEN } from '../support/service.ts';
import { createThingHandlers, createThings } from '../support/things.ts';

const serve = expressServers();

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A service with tasks, and the lines of its log. */
const start = async (background: readonly BackgroundTask[], lock?: TakeLock) => {
  const lines: { level: string; message: string; [detail: string]: unknown }[] = [];
  const write = (level: string) => (details: object, message: string) =>
    void lines.push({ level, message, ...details });
  const store: Store = {
    check: async () => undefined,
    close: async () => {},
    ...(lock && { lock: (_name, signal) => lock(signal) }),
  };
  const service = await createService(
    {
      name: 'things',
      version: '1.0.0',
      contract: THINGS_FILE,
      openStore: async () => store,
      handlers: () => createThingHandlers(createThings()),
      background: () => background,
    },
    {
      tokens: createStaticTokens([{ name: 'tests', token: TOKEN }]),
      log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    },
  );
  stops.push(service.stop);
  return { url: await serve(express().use(service.app)), lines, stop: service.stop };
};

/** Waits until the task is aborted. */
const untilAborted: BackgroundTask['run'] = async ({ signal }) => {
  if (!signal.aborted) await once(signal, 'abort');
};

test('a task that fails runs again after a growing pause, and the service keeps serving', async () => {
  let runs = 0;
  const fragile: BackgroundTask = {
    name: 'fragile',
    run: (context) => {
      runs += 1;
      if (runs < 4) throw new Error(`failure ${runs}`);
      return untilAborted(context);
    },
  };
  const { url, lines } = await start([fragile]);
  await until('it runs for the fourth time', async () => runs === 4 || undefined);
  expect(lines.filter(({ level }) => level === 'error')).toEqual(
    [100, 200, 400].map((pause, index) => ({
      level: 'error',
      message: 'a background task failed; it runs again',
      task: 'fragile',
      err: new Error(`failure ${index + 1}`),
      pause,
    })),
  );
  const samples = await scrape({ url });
  expect(figures(samples, 'background_runs_total')).toEqual({ fragile: 4 });
  expect(figures(samples, 'background_failures_total')).toEqual({ fragile: 3 });
  expect(figures(samples, 'background_running')).toEqual({ fragile: 1 });
});

test('a task that returns is done, its lines name it, and its own metrics are shown', async () => {
  let items = 0;
  const short: BackgroundTask = {
    name: 'short',
    async run({ log }) {
      items += 3;
      log.info({ items }, 'counted');
    },
    metrics: () => [
      { name: 'items_total', help: 'Items.', type: 'counter', values: [{ value: items }] },
      {
        name: 'shelf_items',
        help: 'By shelf.',
        type: 'gauge',
        values: [{ labels: { shelf: 'A' }, value: 2 }],
      },
    ],
  };
  const { url, lines } = await start([short, { name: 'long', run: untilAborted }]);
  const samples = await until('it is done', async () => {
    const seen = await scrape({ url });
    return figures(seen, 'background_running').short === 0 ? seen : undefined;
  });
  expect(lines).toContainEqual({ level: 'info', message: 'counted', items: 3, task: 'short' });
  expect(figures(samples, 'background_runs_total')).toEqual({ short: 1, long: 1 });
  expect(figures(samples, 'items_total')).toEqual({ '': 3 });
  expect(figures(samples, 'shelf_items')).toEqual({ A: 2 });
});

test('a stop aborts tasks and waits until they have ended', async () => {
  const events: string[] = [];
  const { stop, lines } = await start([
    {
      name: 'careful',
      async run(context) {
        await untilAborted(context);
        await new Promise((resolve) => setTimeout(resolve, 50));
        events.push('ended');
      },
    },
    {
      name: 'abrupt',
      async run(context) {
        await untilAborted(context);
        context.signal.throwIfAborted();
      },
    },
  ]);
  await stop();
  events.push('stopped');
  expect(events).toEqual(['ended', 'stopped']);
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('tasks run while the lock is held: when it is lost they are aborted, and wait for it again', async () => {
  const events: string[] = [];
  let lose = () => {};
  const lock: TakeLock = async () => {
    events.push('lock');
    const lost = new AbortController();
    lose = () => lost.abort();
    return { lost: lost.signal, release: async () => void events.push('release') };
  };
  const task: BackgroundTask = {
    name: 'locked',
    async run(context) {
      events.push('begin');
      await untilAborted(context);
      events.push('end');
    },
  };
  const { stop } = await start([task], lock);
  await until('it runs', async () => events.includes('begin') || undefined);
  lose();
  await until(
    'it runs again',
    async () => events.filter((event) => event === 'begin').length === 2 || undefined,
  );
  await stop();
  const turn = ['lock', 'begin', 'end', 'release'];
  expect(events).toEqual([...turn, ...turn]);
});

test('a lock that cannot be had is asked for again, and a stop does not wait for it', async () => {
  let asked = 0;
  const lock: TakeLock = async (signal) => {
    asked += 1;
    if (asked === 1) throw new Error('no database');
    await once(signal, 'abort');
    throw new Error('aborted');
  };
  const { stop, lines } = await start(
    [{ name: 'never', run: () => Promise.reject(new Error('it ran')) }],
    lock,
  );
  await until('it is asked for again', async () => asked === 2 || undefined);
  await stop();
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'background tasks wait: the lock is lost, or cannot be had',
      err: new Error('no database'),
      pause: 100,
    },
  ]);
});

test('scheduled work begins at once, never overlaps itself, and ends as soon as its signal is aborted', async () => {
  const events: string[] = [];
  const run = every(20, async () => {
    events.push('begin');
    await new Promise((resolve) => setTimeout(resolve, 30));
    events.push('end');
  });
  const { stop } = await start([
    { name: 'often', run },
    { name: 'rarely', run: every(3_600_000, async () => void events.push('rare')) },
  ]);
  expect(events.toSorted()).toEqual(['begin', 'rare']);
  await until(
    'it worked thrice',
    async () => events.filter((event) => event === 'end').length > 2 || undefined,
  );
  await stop();
  const often = events.filter((event) => event !== 'rare');
  expect(often).toEqual(often.map((_, index) => (index % 2 === 0 ? 'begin' : 'end')));
  expect(events.filter((event) => event === 'rare')).toHaveLength(1);
});

test('two tasks of one name are refused', async () => {
  const twin = { name: 'twin', run: untilAborted };
  await expect(start([twin, twin])).rejects.toThrow(
    'two background tasks are called "twin"; name each its own way',
  );
});

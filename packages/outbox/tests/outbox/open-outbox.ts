import { openData } from '@trellis/data';
import { createOutbox, OUTBOX_MIGRATION, type OutboxOptions, type OutboxTables } from '@trellis/outbox';

export interface Tables extends OutboxTables {
  counters: { name: string; n: bigint };
}

const SCHEMA = {
  name: 'Outbox tests',
  migrations: ['CREATE TABLE counters (name text PRIMARY KEY, n bigint NOT NULL)', OUTBOX_MIGRATION],
};

/** Limits that make a test quick. */
export const QUICK = { firstPause: 20, longestPause: 200, pollEvery: 20, timeout: 1000 };

/** Opens outboxes, each on a new database, and closes them after each test. */
export const outboxes = (makeUrl: () => Promise<string>) => {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });

  /** Opens an outbox, and a way to run its task. */
  const open = async (options: OutboxOptions, url?: string) => {
    const databaseUrl = url ?? (await makeUrl());
    const data = await openData<Tables>({ databaseUrl }, SCHEMA);
    closes.push(() => data.close());
    const outbox = createOutbox(data, { ...QUICK, ...options });
    const add = (payload: unknown, key?: string, topic = 'news') =>
      data.transaction((tx) => outbox.add(tx, { topic, payload, ...(key !== undefined && { key }) }));
    const lines: { level: string; message: string; [detail: string]: unknown }[] = [];
    const write =
      (level: string) =>
      (details: object | string, message = '') =>
        void lines.push({ level, message, ...(typeof details === 'object' && details) });
    /** Starts to deliver, and returns the function that stops it. */
    const start = () => {
      const stopping = new AbortController();
      const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
      const ended = outbox.task.run({ signal: stopping.signal, log });
      ended.catch(() => {}); // the test asks
      const stop = async () => {
        stopping.abort();
        await ended;
      };
      closes.push(() => stop().catch(() => {}));
      return stop;
    };
    return { data, outbox, add, start, lines, url: databaseUrl };
  };

  return open;
};

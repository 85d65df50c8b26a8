import { randomUUID } from 'node:crypto';
import type { Data } from '@trellis/data';
import type { BackgroundTask } from '@trellis/server';
import { QueryCreator, type QueryExecutorProvider, type Transaction } from 'kysely';
import { createDispatcher } from './dispatch.ts';
import { checkTopic, type DeadLetter, type DeliverEvent, type NewEvent, toPayload } from './event.ts';
import { DEFAULT_LIMITS, type DispatchLimits } from './limits.ts';
import { createOutboxMetrics } from './outbox-metrics.ts';
import { enqueue, exhume, listDead } from './queue.ts';
import type { OutboxTables } from './schema.ts';
import { toStoredKey } from './stored-key.ts';

/** How an outbox delivers. Defaults: 64 at once, 8 of them to one receiver, 30 s an attempt, and 20 attempts, 1 s to 1 h apart. */
export interface OutboxOptions extends Partial<DispatchLimits> {
  /** Delivers the events, by topic. */
  readonly deliver: Readonly<Record<string, DeliverEvent>>;
}

/** Stores events in the transaction of the change that they report, and delivers them afterwards. */
export interface Outbox<Tables> {
  /**
   * Adds an event to a transaction and returns its id. Once the transaction is committed, the event is delivered, at
   * least once. Events with the same key and receiver are delivered in the order of their transactions, which therefore
   * wait for each other.
   */
  add(transaction: Transaction<Tables>, event: NewEvent): Promise<string>;
  /** The task that delivers, for `background`. */
  readonly task: BackgroundTask;
  /** Lists events that were given up, by id: at most 100 after an id by default. */
  deadLetters(page?: { readonly after?: string; readonly limit?: number }): Promise<DeadLetter[]>;
  /** Delivers a dead letter again, after the other events of its key; false if no dead letter has this id. */
  retry(id: string): Promise<boolean>;
  /** Deletes a dead letter; false if no dead letter has this id. */
  discard(id: string): Promise<boolean>;
}

/** How soon an event of this process is looked for, in milliseconds. By then its transaction is probably committed. */
const SOON = 20;

const tablesOf = (provider: QueryExecutorProvider): QueryCreator<OutboxTables> =>
  new QueryCreator<OutboxTables>({ executor: provider.getExecutor() });

/**
 * Creates an outbox in a database that has its tables: see `OUTBOX_MIGRATION`.
 *
 * @example
 * const outbox = createOutbox(data, { deliver: { ordered: async ({ payload }) => send(payload) } });
 * await data.transaction((tx) => outbox.add(tx, { topic: 'ordered', payload: { order: 7 } }));
 */
export const createOutbox = <Tables>(
  data: Pick<Data<Tables>, 'db' | 'transaction'>,
  { deliver, ...limits }: OutboxOptions,
): Outbox<Tables> => {
  const tables = tablesOf(data.db);
  const transaction = <Result>(work: (tables: QueryCreator<OutboxTables>) => Promise<Result>) =>
    data.transaction((tx) => work(tablesOf(tx)));
  const metrics = createOutboxMetrics(Object.keys(deliver));
  const { run, ring } = createDispatcher(
    { tables, transaction, deliver, metrics },
    { ...DEFAULT_LIMITS, ...limits },
  );

  let soon: NodeJS.Timeout | undefined;
  let isAddedSince = false;
  /** Rings soon, and rings again if events were added meanwhile. */
  const lookSoon = (): void => {
    isAddedSince = soon !== undefined;
    soon ??= setTimeout(() => {
      soon = undefined;
      ring();
      if (isAddedSince) lookSoon();
    }, SOON).unref();
  };

  return {
    async add(tx, { topic, key, receiver, payload }) {
      const id = randomUUID();
      await enqueue(tablesOf(tx), {
        id,
        topic: checkTopic(topic),
        key: toStoredKey(key ?? id, receiver),
        payload: toPayload(payload),
        created: BigInt(Date.now()),
      });
      lookSoon();
      return id;
    },
    task: { name: 'outbox', run, metrics: metrics.collect },
    deadLetters: ({ after = '', limit = 100 } = {}) => listDead(tables, after, limit),
    async retry(id) {
      const isFound = await transaction(async (tx) => {
        const event = await exhume(tx, id);
        if (event) await enqueue(tx, event);
        return event !== undefined;
      });
      if (isFound) ring();
      return isFound;
    },
    discard: async (id) => (await exhume(tables, id)) !== undefined,
  };
};

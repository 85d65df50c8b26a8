import { type QueryCreator, sql } from 'kysely';
import type { DeadLetter } from './event.ts';
import type { OutboxTables } from './schema.ts';
import { keyIn, PREFIX_LENGTH } from './stored-key.ts';

/** The tables, in a transaction or not. */
export type Tables = QueryCreator<OutboxTables>;

/** The first event of its key. */
export interface Head {
  readonly seq: bigint;
  readonly id: string;
  readonly topic: string;
  /** Written by `toStoredKey`. */
  readonly key: string;
  readonly payload: string;
  readonly created: bigint;
  readonly failures: bigint;
}

/**
 * Creates a clock of milliseconds since 1970 that never goes back. It follows the system's clock forward, and measures on
 * by itself while that is behind, because an operator has set it back.
 */
const createClock = (): (() => bigint) => {
  let last = Date.now();
  let at = performance.now();
  return () => {
    const elapsed = performance.now() - at;
    last = Math.max(Date.now(), last + elapsed);
    at += elapsed;
    return BigInt(Math.floor(last));
  };
};

const now = createClock();

/**
 * Adds an event. The row of its key is written first: it locks the key for other transactions until this one ends, so
 * that `seq` grows in the order of the commits.
 */
export const enqueue = async (
  tables: Tables,
  event: Pick<Head, 'id' | 'topic' | 'key' | 'payload' | 'created'>,
): Promise<void> => {
  const { key } = event;
  await tables
    .insertInto('outbox_keys')
    .values({ key, pending: 1n, due: now(), failures: 0n })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({ pending: eb('outbox_keys.pending', '+', 1n) })),
    )
    .execute();
  await tables.insertInto('outbox_events').values(event).execute();
};

/** Which keys are looked for. */
interface Wanted {
  readonly exceptKeys: readonly string[];
  /** Prefixes of keys: see `receiverIn`. */
  readonly exceptReceivers: readonly string[];
  /** Whether an event that has failed before is left out. */
  readonly onlyFresh: boolean;
  readonly limit: number;
}

/** The first events of keys that are due: those that are due the longest, up to a limit. */
export const findDue = (
  tables: Tables,
  { exceptKeys, exceptReceivers, onlyFresh, limit }: Wanted,
): Promise<Head[]> =>
  tables
    .selectFrom('outbox_keys as k')
    .innerJoin('outbox_events as e', (join) =>
      join.on('e.seq', '=', (eb) =>
        eb
          .selectFrom('outbox_events as f')
          .whereRef('f.key', '=', 'k.key')
          .select((of) => of.fn.min('f.seq').as('first')),
      ),
    )
    .select(['e.seq', 'e.id', 'e.topic', 'e.key', 'e.payload', 'e.created', 'k.failures'])
    .where('k.due', '<=', now())
    .$if(exceptKeys.length > 0, (query) => query.where('k.key', 'not in', exceptKeys))
    .$if(exceptReceivers.length > 0, (query) =>
      query.where(
        (eb) => eb.fn<string>('substr', ['k.key', eb.lit(1), eb.lit(PREFIX_LENGTH)]),
        'not in',
        exceptReceivers,
      ),
    )
    .$if(onlyFresh, (query) => query.where('k.failures', '=', 0n))
    .orderBy('k.due')
    .limit(limit)
    .execute();

/**
 * Corrects due times that a wrong clock has put too far into the future: an event that has not failed is due now, and no
 * pause is longer than the longest.
 */
export const mendDues = async (tables: Tables, longestPause: number): Promise<void> => {
  const due = now();
  await tables
    .updateTable('outbox_keys')
    .set({ due })
    .where('due', '>', due)
    .where((eb) => eb.or([eb('failures', '=', 0n), eb('due', '>', due + BigInt(Math.ceil(longestPause)))]))
    .execute();
};

/** Removes the first event of a key, so that the next event is due; false if another process has removed it. */
export const removeHead = async (tables: Tables, { seq, key }: Head): Promise<boolean> => {
  const { numDeletedRows } = await tables
    .deleteFrom('outbox_events')
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await tables
    .updateTable('outbox_keys')
    .set((eb) => ({ pending: eb('pending', '-', 1n), due: now(), failures: 0n }))
    .where('key', '=', key)
    .execute();
  await tables.deleteFrom('outbox_keys').where('key', '=', key).where('pending', '=', 0n).execute();
  return true;
};

/** Counts a failure, and tries the first event of a key again after a pause. */
export const postpone = async (tables: Tables, { key, failures }: Head, pause: number): Promise<void> => {
  await tables
    .updateTable('outbox_keys')
    .set({ failures: failures + 1n, due: now() + BigInt(Math.ceil(pause)) })
    .where('key', '=', key)
    .where('failures', '=', failures) // unless another process has counted it
    .execute();
};

/** Turns the first event of a key into a dead letter; false if another process has removed it. */
export const bury = async (tables: Tables, head: Head, reason: string): Promise<boolean> => {
  if (!(await removeHead(tables, head))) return false;
  const { id, topic, key, payload, created } = head;
  await tables
    .insertInto('outbox_dead')
    .values({ id, topic, key, payload, created, died: now(), reason })
    .execute();
  return true;
};

/** Removes a dead letter and returns its event; `undefined` if no dead letter has this id. */
export const exhume = (tables: Tables, id: string) =>
  tables
    .deleteFrom('outbox_dead')
    .where('id', '=', id)
    .returning(['id', 'topic', 'key', 'payload', 'created'])
    .executeTakeFirst();

/** Dead letters by their ids, from one id on. */
export const listDead = async (tables: Tables, after: string, limit: number): Promise<DeadLetter[]> => {
  const rows = await tables
    .selectFrom('outbox_dead')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...row,
    key: keyIn(row.key),
    created: new Date(Number(row.created)),
    died: new Date(Number(row.died)),
  }));
};

/** How far tables are counted: counting reads every row. */
const COUNTED = 100_000;

const countUpTo = async (tables: Tables, table: 'outbox_events' | 'outbox_dead'): Promise<number> => {
  const some = tables.selectFrom(table).select('id').limit(COUNTED).as('some');
  const { count } = await tables
    .selectFrom(some)
    .select(sql<bigint>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** How many events wait and were given up, 100,000 at most, and when the oldest one was added. */
export const measure = async (tables: Tables) => {
  const oldest = await tables
    .selectFrom('outbox_events')
    .select('created')
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return {
    pending: await countUpTo(tables, 'outbox_events'),
    dead: await countUpTo(tables, 'outbox_dead'),
    oldest: oldest && Number(oldest.created),
  };
};

import pg, { type Pool, type PoolClient, type QueryResult } from 'pg';
import type { SqlResult } from '../engine.ts';
import type { Slot } from '../slots.ts';
import { explainBegin, type TransactionTimes } from './durability.ts';
import { isAnswer, isFromServer, isTransient, isUndone, toSqlError } from './errors.ts';
import { watchCommits } from './pool.ts';
import type { Preparation } from './prepare.ts';
import { type Query, toResult } from './transaction.ts';

/** Runs statements with the same text in one transaction, and gives their results in their order. */
export type RunBatch = (queries: readonly Query[]) => Promise<readonly SqlResult<never>[]>;

/** The first failure of a batch. */
interface BatchFailure {
  readonly error: unknown;
  /** Whether it is the beginning that has failed. */
  readonly isBegin: boolean;
  /** Whether nothing of the batch is committed for certain, and another attempt may succeed soon. */
  readonly isUndone: boolean;
}

/** Finds the first statement that has failed. */
const findFailure = (sent: readonly PromiseSettledResult<unknown>[]): BatchFailure | undefined => {
  const first = sent.findIndex(({ status }) => status === 'rejected');
  const failed = sent[first];
  if (failed?.status !== 'rejected') return undefined;
  const error: unknown = failed.reason;
  const isBeforeCommit = first < sent.length - 1 && isFromServer(error);
  return { error, isBegin: first === 0, isUndone: isBeforeCommit ? isTransient(error) : isUndone(error) };
};

/** Whether a value has a plain form in the protocol. Lists have none: the driver knows how to write them. */
const isPlain = (value: unknown): boolean => !Array.isArray(value);

/** A plain value in the protocol: a text, or bytes. */
const toWire = (value: unknown): string | Buffer | null => {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
};

/**
 * Runs a statement once for each list of plain values, until one fails. The driver would have PostgreSQL parse the statement
 * for each list, and confirm each: that takes twice as long. Only public parts of the driver are used, as its own cursors
 * use them.
 */
const repeatQuery = (
  client: PoolClient,
  text: string,
  lists: readonly (readonly unknown[])[],
): Promise<QueryResult<never>[]> =>
  new Promise((resolve, reject) => {
    const settle = (
      error: Error | null | undefined,
      results: QueryResult<never> | QueryResult<never>[],
    ): void => {
      const all = [results].flat();
      if (error) reject(error);
      else if (all.length === lists.length) resolve(all);
      else reject(new Error('PostgreSQL gave another number of results than it got lists of values'));
    };
    const query = new pg.Query<never>({ text }, settle);
    query.submit = (connection) => {
      connection.stream.cork();
      connection.parse({ name: '', text, types: [] }, true);
      for (const values of lists) {
        connection.bind({ portal: '', statement: '', values: values.map(toWire) }, true);
        connection.describe({ type: 'P', name: '' }, true);
        connection.execute(null, true);
      }
      connection.sync();
      connection.stream.uncork();
    };
    client.query(query);
  });

/** Runs statements with the same text, one after the other. */
const runEach = async (client: PoolClient, queries: readonly Query[]): Promise<SqlResult<never>[]> => {
  const [first] = queries;
  if (first && queries.length > 1 && queries.every(({ values }) => values.every(isPlain))) {
    const lists = queries.map(({ values }) => values);
    return (await repeatQuery(client, first.text, lists)).map(toResult);
  }
  const results = await Promise.all(queries.map((query) => client.query<never>(query)));
  return results.map(toResult);
};

/** Sends all at once, so it takes one round trip: after a failure PostgreSQL does nothing more, and rolls back. */
const sendTogether = async (
  client: PoolClient,
  { begin, confirm }: { readonly begin: string; readonly confirm: string },
  queries: readonly Query[],
): Promise<readonly SqlResult<never>[] | BatchFailure> => {
  const commits = watchCommits(client);
  const beginning = client.query(begin);
  const running = runEach(client, queries);
  const confirming = client.query(confirm);
  const ending = client.query('COMMIT'); // alone, so that it ends a transaction that has failed as well
  const failure = findFailure(await Promise.allSettled([beginning, running, confirming, ending]));
  commits.stop();
  if (failure) {
    client.release(!isAnswer(failure.error));
    return failure;
  }
  try {
    commits.check(await ending);
    client.release();
    return await running;
  } catch (error) {
    client.release(true);
    return { error, isBegin: false, isUndone: false };
  }
};

/** Orders two values of the same type. */
const compare = (one: unknown, other: unknown): number => {
  if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : Number(one > other);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : Number(one > other);
  return 0;
};

/** Batches of all services lock keys in the same order, if these are the first values of their statements. */
const byFirstValue = (one: Query, other: Query): number => compare(one.values[0], other.values[0]);

/** Makes a function that runs statements together, once it has a slot and a connection. */
export const createBatches = (
  pool: Pool,
  enter: () => Slot,
  { prepare, noteFailure }: Preparation,
  times: TransactionTimes,
): RunBatch => {
  const connect = async (slot: Slot) => {
    try {
      await slot.turn;
      const { begin, confirm } = await prepare();
      return { client: await pool.connect(), frame: { begin: begin(times), confirm } };
    } catch (error) {
      throw noteFailure(toSqlError(error), isTransient(error)); // nothing was sent
    }
  };
  const explain = async ({ error, isBegin, isUndone: mayRetry }: BatchFailure): Promise<Error> => {
    const reason = isBegin ? await explainBegin(pool, error) : error;
    return noteFailure(toSqlError(reason), reason === error ? mayRetry : isTransient(reason));
  };
  return async (queries) => {
    const slot = enter();
    try {
      const { client, frame } = await connect(slot);
      const sorted = queries.toSorted(byFirstValue);
      const done = await sendTogether(client, frame, sorted);
      if ('error' in done) throw await explain(done);
      const results = new Map(sorted.map((query, index) => [query, done[index]]));
      return queries.flatMap((query) => results.get(query) ?? []);
    } finally {
      slot.leave();
    }
  };
};

import type { SqlResult, SqlStatement } from '../engine.ts';
import { StoreOverloaded, StoreUnavailable } from '../errors.ts';
import { type CommitObserver, createGroupCommit } from '../group-commit.ts';
import { retry } from '../retry.ts';
import type { RunBatch } from './batch.ts';
import { isOfValues } from './errors.ts';
import { type Query, toQuery } from './transaction.ts';

/** How long transient failures are retried, in milliseconds. */
const RETRY_WITHIN = 1000;

/** How many writes a batch has: all of them wait for the slowest. */
const MOST_IN_BATCH = 256;

/** The most queues, one for each text of a statement. */
const MOST_TEXTS = 1000;

interface Write {
  readonly query: Query;
  /** When its caller has been refused. */
  readonly until: number;
}

type Outcome = SqlResult<never> | Error;

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Runs a batch, again after a failure that may pass. A write that is at fault is found by halves: the others succeed. */
const runByHalves = async (
  writes: readonly Write[],
  runBatch: RunBatch,
  isTransient: (error: unknown) => boolean,
): Promise<readonly Outcome[]> => {
  try {
    const queries = writes.map(({ query }) => query);
    return await retry(() => runBatch(queries), { isTransient, within: RETRY_WITHIN });
  } catch (error) {
    if (!isOfValues(error)) throw error;
    if (writes.length <= 1) return writes.map(() => toError(error));
    const middle = writes.length >> 1;
    const first = await runByHalves(writes.slice(0, middle), runBatch, isTransient);
    return [...first, ...(await runByHalves(writes.slice(middle), runBatch, isTransient))];
  }
};

/** How many writes may wait, and how long a write may wait for its batch, in milliseconds. */
interface WriteLimits {
  /** How many batches may be under way at a time. */
  readonly lanes: number;
  readonly maxWaiting: number;
  readonly patience: number;
}

/**
 * Runs statements that stand alone. Statements with the same text that arrive together share a transaction, and so a
 * commit and a round trip. If one is at fault, it fails alone.
 */
export const createWrites = (
  runBatch: RunBatch,
  isRetryable: (error: unknown) => boolean,
  { lanes, maxWaiting, patience }: WriteLimits,
  observer: CommitObserver | undefined,
) => {
  const queues = new Map<string, ReturnType<typeof createGroupCommit<Write, Outcome>>>();
  const accepted = new Set<Promise<Outcome>>();
  let waiting = 0;
  observer?.watchQueue(() => waiting);

  const commit = async (writes: readonly Write[]): Promise<readonly Outcome[]> => {
    waiting -= writes.length;
    const now = performance.now();
    const late = writes.filter(({ until }) => until <= now); // those that came first
    const rest = writes.slice(late.length);
    const refused = late.map(() => new StoreUnavailable('timeout'));
    return rest.length === 0 ? refused : [...refused, ...(await runByHalves(rest, runBatch, isRetryable))];
  };
  const queueOf = (sql: string) => {
    const found = queues.get(sql);
    if (found) return found;
    if (queues.size === MOST_TEXTS) queues.clear();
    const limits = { maxBatch: MOST_IN_BATCH, maxWaiting: Number.POSITIVE_INFINITY, lanes };
    const fresh = createGroupCommit(commit, limits, observer && { ...observer, watchQueue() {} });
    queues.set(sql, fresh);
    return fresh;
  };

  return {
    async run(statement: SqlStatement): Promise<SqlResult<never>> {
      if (waiting >= maxWaiting) throw new StoreOverloaded(`${maxWaiting} are waiting already`);
      const write = { query: toQuery(statement), until: performance.now() + patience };
      waiting += 1;
      const settled = queueOf(statement.sql).submit(write);
      accepted.add(settled);
      try {
        const outcome = await settled;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      } finally {
        accepted.delete(settled);
      }
    },
    drain: async (): Promise<void> => void (await Promise.allSettled(accepted)),
  };
};

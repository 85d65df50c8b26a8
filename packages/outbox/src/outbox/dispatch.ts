import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundTask, TaskContext } from '@trellis/server';
import { createAttempts, createHandle, type DispatchParts } from './attempts.ts';
import type { DispatchLimits } from './limits.ts';
import { findDue, type Head, measure, mendDues } from './queue.ts';
import { createReceivers } from './receivers.ts';
import { receiverIn } from './stored-key.ts';

/** How often the outbox is measured and mended, in milliseconds. */
const MEASURE_EVERY = 5000;
/** Time for attempts under way to finish at shutdown, in milliseconds: most succeed and need no repetition. */
const GRACE = 1000;

/** Creates the task that delivers events: one at a time of each key, and of several keys at once. */
export const createDispatcher = (parts: DispatchParts, limits: DispatchLimits) => {
  const { tables, metrics } = parts;
  const { concurrency, pollEvery, longestPause } = limits;
  const half = Math.max(1, Math.floor(concurrency / 2));
  let bell = new AbortController();
  /** Ends the wait for the next look at the outbox. */
  const ring = (): void => bell.abort();

  const run = async (context: TaskContext): Promise<void> => {
    const { signal } = context;
    const attempts = createAttempts(limits.timeout);
    const handle = createHandle(parts, limits, attempts, context);
    const receivers = createReceivers(limits);
    const busy = new Map<string, Promise<void>>();
    /** Attempts under way of events, or to receivers, that have failed before. */
    let repeated = 0;
    /** The store failed: the task ends, and starts again after a pause. */
    let failure: { readonly error: unknown } | undefined;
    let measuredAt = Number.NEGATIVE_INFINITY;

    /** Begins an attempt, unless its receiver or the repeated attempts have reached their limit. */
    const begin = (head: Head, isRound: boolean): boolean => {
      const receiver = receivers.of(receiverIn(head.key));
      const isRepeated = head.failures > 0n || receiver.hasFailed;
      if (!receiver.isFree || (isRound && receiver.isServed)) return false;
      if (isRepeated && repeated >= half) return false;
      const end = receiver.begin();
      if (isRepeated) repeated += 1;
      const handled = handle(head).then(end, (error: unknown) => {
        failure ??= { error };
        end('unknown');
      });
      busy.set(
        head.key,
        handled.finally(() => {
          busy.delete(head.key);
          if (isRepeated) repeated -= 1;
          ring();
        }),
      );
      return true;
    };

    /**
     * Begins attempts of due events: in a round one for each receiver. Once a round is over the receivers get more, up to
     * half of all, so that some are left for the next round. Events that cannot begin are left out of the next query.
     */
    const beginDue = async (): Promise<void> => {
      let isRound = true;
      while (!signal.aborted && !failure) {
        const limit: number = (isRound ? concurrency : half) - busy.size;
        if (limit <= 0) return;
        const onlyFresh = repeated >= half;
        const served = isRound ? receivers.served() : [];
        const heads = await findDue(tables, {
          exceptKeys: [...busy.keys()],
          exceptReceivers: [...receivers.closed(onlyFresh), ...served],
          onlyFresh,
          limit,
        });
        const begun = heads.filter((head) => begin(head, isRound));
        const areAll: boolean = heads.length < limit;
        if (areAll) receivers.beginRound();
        if (areAll && (!isRound || (served.length === 0 && begun.length === heads.length))) return;
        isRound &&= !areAll;
      }
    };

    signal.addEventListener('abort', ring);
    try {
      while (!signal.aborted && !failure) {
        bell = new AbortController();
        if (performance.now() - measuredAt > MEASURE_EVERY) {
          await mendDues(tables, longestPause);
          metrics.show(await measure(tables));
          measuredAt = performance.now();
        }
        await beginDue();
        await sleep(pollEvery, undefined, { signal: bell.signal }).catch(() => {}); // rung
      }
    } finally {
      const grace = setTimeout(attempts.abort, GRACE);
      await Promise.all(busy.values());
      clearTimeout(grace);
      signal.removeEventListener('abort', ring);
      metrics.show(undefined);
    }
    if (failure) throw failure.error;
  };

  return { run: run satisfies BackgroundTask['run'], ring };
};

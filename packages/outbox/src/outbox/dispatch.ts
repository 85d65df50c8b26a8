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

/** Creates what begins attempts in a run of the task, and follows them to their ends, which it calls `ended` for. */
const createOngoing = (
  handle: ReturnType<typeof createHandle>,
  receivers: ReturnType<typeof createReceivers>,
  mostRepeated: number,
  ended: () => void,
) => {
  const busy = new Map<string, Promise<void>>();
  /** Attempts under way of events, or to receivers, that have failed before. */
  let repeated = 0;
  let failure: { readonly error: unknown } | undefined;
  return {
    keys: (): string[] => [...busy.keys()],
    /** Whether there is room for first attempts only. */
    onlyFresh: (): boolean => repeated >= mostRepeated,
    /** The failure of the store, if there was one: the task ends, and starts again after a pause. */
    failure: () => failure,
    settled: () => Promise.all(busy.values()),
    /** Begins an attempt, unless its receiver or the repeated attempts have reached their limit. */
    begin(head: Head, isRound: boolean): boolean {
      const receiver = receivers.of(receiverIn(head.key));
      const isRepeated = head.failures > 0n || receiver.hasFailed;
      if (!receiver.isFree || (isRound && receiver.isServed)) return false;
      if (isRepeated && repeated >= mostRepeated) return false;
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
          ended();
        }),
      );
      return true;
    },
  };
};

/**
 * Begins attempts of due events: in a round one for each receiver. Once a round is over the receivers get more, up to
 * half of all, so that some are left for the next round. Events that cannot begin are left out of the next query.
 */
const beginDue = async (
  tables: DispatchParts['tables'],
  { keys, onlyFresh, begin }: ReturnType<typeof createOngoing>,
  receivers: ReturnType<typeof createReceivers>,
  { concurrency, half, isOver }: { concurrency: number; half: number; isOver: () => boolean },
): Promise<void> => {
  let isRound = true;
  while (!isOver()) {
    const exceptKeys = keys();
    const limit: number = (isRound ? concurrency : half) - exceptKeys.length;
    if (limit <= 0) return;
    const served = isRound ? receivers.served() : [];
    const heads = await findDue(tables, {
      exceptKeys,
      exceptReceivers: [...receivers.closed(onlyFresh()), ...served],
      onlyFresh: onlyFresh(),
      limit,
    });
    const begun = heads.filter((head) => begin(head, isRound));
    const areAll: boolean = heads.length < limit;
    if (areAll) receivers.beginRound();
    if (areAll && (!isRound || (served.length === 0 && begun.length === heads.length))) return;
    isRound &&= !areAll;
  }
};

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
    const receivers = createReceivers(limits);
    const ongoing = createOngoing(createHandle(parts, limits, attempts, context), receivers, half, ring);
    const isOver = (): boolean => signal.aborted || ongoing.failure() !== undefined;
    let measuredAt = Number.NEGATIVE_INFINITY;
    signal.addEventListener('abort', ring);
    try {
      while (!isOver()) {
        bell = new AbortController();
        if (performance.now() - measuredAt > MEASURE_EVERY) {
          await mendDues(tables, longestPause);
          metrics.show(await measure(tables));
          measuredAt = performance.now();
        }
        await beginDue(tables, ongoing, receivers, { concurrency, half, isOver });
        await sleep(pollEvery, undefined, { signal: bell.signal }).catch(() => {}); // rung
      }
    } finally {
      const grace = setTimeout(attempts.abort, GRACE);
      await ongoing.settled();
      clearTimeout(grace);
      signal.removeEventListener('abort', ring);
      metrics.show(undefined);
    }
    const failure = ongoing.failure();
    if (failure) throw failure.error;
  };

  return { run: run satisfies BackgroundTask['run'], ring };
};

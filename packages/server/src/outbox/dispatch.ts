import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundTask, TaskContext } from '../background/task.ts';
import { createAttempts } from './attempts.ts';
import { DeliveryFailed } from './delivery-failed.ts';
import { type DeliverEvent, toReason } from './event.ts';
import type { OutboxMetrics } from './outbox-metrics.ts';
import { bury, findDue, type Head, measure, postpone, removeHead, type Tables } from './queue.ts';

/** How events are delivered; times in milliseconds. */
export interface DispatchLimits {
  /** How many events are delivered at once, each of another key. */
  readonly concurrency: number;
  /** How long an attempt may take. */
  readonly timeout: number;
  /** After how many attempts an event is given up. */
  readonly maxAttempts: number;
  /** The pause after the first failure. It doubles with each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** How often other processes' events are looked for. */
  readonly pollEvery: number;
}

/** What a dispatcher works with. */
export interface DispatchParts {
  readonly tables: Tables;
  readonly transaction: <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>;
  readonly deliver: Readonly<Record<string, DeliverEvent>>;
  readonly metrics: OutboxMetrics;
}

/** How often the outbox is measured, in milliseconds. */
const MEASURE_EVERY = 5000;
/** How long attempts under way may go on when the task is told to end: most arrive, and need not be repeated. */
const GRACE = 1000;
/** How often failures are logged, in milliseconds: a receiver that is down fails every event. */
const WARN_EVERY = 10_000;

const missing =
  (topic: string): DeliverEvent =>
  () =>
    Promise.reject(new Error(`nothing delivers the topic "${topic}"; add it to \`deliver\``));

/** Creates the task that delivers events: one at a time of each key, and of several keys at once. */
export const createDispatcher = (
  { tables, transaction, deliver, metrics }: DispatchParts,
  { concurrency, timeout, maxAttempts, firstPause, longestPause, pollEvery }: DispatchLimits,
) => {
  let bell = new AbortController();
  /** Ends the wait for the next look at the outbox. */
  const ring = (): void => bell.abort();

  const pauseAfter = (error: unknown, failures: number): number => {
    const pause = Math.min(firstPause * 2 ** failures, longestPause) * (0.75 + Math.random() / 2);
    const asked = error instanceof DeliveryFailed ? (error.retryAfter ?? 0) : 0;
    return Math.max(pause, Math.min(asked, longestPause));
  };

  const run = async ({ signal, log }: TaskContext): Promise<void> => {
    const attempts = createAttempts(timeout);
    const busy = new Map<string, Promise<void>>();
    /** The store failed: the task ends, and starts again after a pause. */
    let failure: { readonly error: unknown } | undefined;
    let measuredAt = Number.NEGATIVE_INFINITY;
    let warnedAt = Number.NEGATIVE_INFINITY;

    const fail = async (head: Head, err: unknown): Promise<void> => {
      const { id, topic, key } = head;
      const failures = Number(head.failures) + 1;
      const details = { event: id, topic, key, attempts: failures, err };
      metrics.count(topic, 'failed');
      if (failures < maxAttempts && !(err instanceof DeliveryFailed && err.isPermanent)) {
        await postpone(tables, head, pauseAfter(err, failures - 1));
        const isQuiet = performance.now() - warnedAt < WARN_EVERY;
        if (!isQuiet) warnedAt = performance.now();
        log[isQuiet ? 'debug' : 'warn'](details, 'an event was not delivered; it is tried again');
      } else if (await transaction((tx) => bury(tx, head, toReason(err)))) {
        metrics.count(topic, 'dead');
        log.error(details, 'an event was given up; it is a dead letter now');
      }
    };

    const handle = async (head: Head): Promise<void> => {
      const { topic } = head;
      const given = Object.hasOwn(deliver, topic) ? deliver[topic] : undefined;
      try {
        await attempts.make(given ?? missing(topic), head);
      } catch (error) {
        if (signal.aborted) return; // it is delivered again, by whoever runs this task next
        return fail(head, error);
      }
      if (await transaction((tx) => removeHead(tx, head))) metrics.count(topic, 'delivered');
    };

    const begin = (head: Head): void => {
      const handled = handle(head).catch((error: unknown) => {
        failure ??= { error };
      });
      busy.set(
        head.key,
        handled.finally(() => {
          busy.delete(head.key);
          ring();
        }),
      );
    };

    signal.addEventListener('abort', ring);
    try {
      while (!signal.aborted && !failure) {
        bell = new AbortController();
        if (performance.now() - measuredAt > MEASURE_EVERY) {
          metrics.show(await measure(tables));
          measuredAt = performance.now();
        }
        const free = concurrency - busy.size;
        const heads = free > 0 ? await findDue(tables, [...busy.keys()], free) : [];
        for (const head of heads) begin(head);
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

import { once } from 'node:events';
import type { TaskContext } from '@trellis/server';
import { DeliveryFailed } from './delivery-failed.ts';
import { type DeliverEvent, fromPayload, toReason } from './event.ts';
import type { DispatchLimits } from './limits.ts';
import type { OutboxMetrics } from './outbox-metrics.ts';
import { bury, type Head, postpone, removeHead, type Tables } from './queue.ts';
import type { Answer } from './receivers.ts';
import { keyIn } from './stored-key.ts';

/** Parts that a dispatcher works with. */
export interface DispatchParts {
  readonly tables: Tables;
  readonly transaction: <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>;
  readonly deliver: Readonly<Record<string, DeliverEvent>>;
  readonly metrics: OutboxMetrics;
}

/** How often failures are logged, in milliseconds: a receiver that is down fails every event. */
const WARN_EVERY = 10_000;

const missing =
  (topic: string): DeliverEvent =>
  () =>
    Promise.reject(new Error(`nothing delivers the topic "${topic}"; add it to \`deliver\``));

const answerIn = (error: unknown): Answer => {
  if (!(error instanceof DeliveryFailed)) return 'unanswered';
  if (error.isReceiverUp) return 'answered';
  return error.isPermanent ? 'unknown' : 'unanswered';
};

/** Creates what makes attempts to deliver events, each within a time. */
export const createAttempts = (timeout: number) => {
  const ongoing = new Set<AbortController>();
  return {
    /** Rejects if the event is not delivered; when its time is over too, whatever the delivery is doing then. */
    async make(deliver: DeliverEvent, { id, topic, key, payload, created, failures }: Head): Promise<void> {
      const event = {
        id,
        topic,
        key: keyIn(key),
        payload: fromPayload<never>(payload),
        created: new Date(Number(created)),
      };
      const controller = new AbortController();
      const { signal } = controller;
      const tooLate = new Error(`the delivery took longer than ${timeout} ms`);
      const timer = setTimeout(() => controller.abort(tooLate), timeout);
      ongoing.add(controller);
      try {
        await Promise.race([
          deliver(event, { signal, attempt: Number(failures) + 1 }),
          once(signal, 'abort').then(() => signal.throwIfAborted()),
        ]);
      } finally {
        clearTimeout(timer);
        ongoing.delete(controller);
      }
    },
    /** Aborts the attempts that are under way. */
    abort(): void {
      for (const controller of ongoing) controller.abort(new Error('the outbox stops'));
    },
  };
};

/** Creates the function that makes one attempt to deliver an event, and stores what became of it. */
export const createHandle = (
  { tables, transaction, deliver, metrics }: DispatchParts,
  { maxAttempts, firstPause, longestPause }: DispatchLimits,
  attempts: ReturnType<typeof createAttempts>,
  { signal, log }: TaskContext,
) => {
  let warnedAt = Number.NEGATIVE_INFINITY;

  const pauseAfter = (error: unknown, failures: number): number => {
    const pause = Math.min(firstPause * 2 ** failures, longestPause) * (0.75 + Math.random() / 2);
    const asked = error instanceof DeliveryFailed ? (error.retryAfter ?? 0) : 0;
    return Math.min(Math.max(pause, asked), longestPause);
  };

  const fail = async (head: Head, err: unknown): Promise<void> => {
    const { id, topic } = head;
    const failures = Number(head.failures) + 1;
    const details = { event: id, topic, key: keyIn(head.key), attempts: failures, err };
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

  return async (head: Head): Promise<Answer> => {
    const { topic } = head;
    const given = Object.hasOwn(deliver, topic) ? deliver[topic] : undefined;
    try {
      await attempts.make(given ?? missing(topic), head);
    } catch (error) {
      if (signal.aborted) return 'unknown'; // the next process that runs this task delivers it again
      await fail(head, error);
      return answerIn(error);
    }
    if (await transaction((tx) => removeHead(tx, head))) metrics.count(topic, 'delivered');
    return 'answered';
  };
};

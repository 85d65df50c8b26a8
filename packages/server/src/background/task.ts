import { setTimeout as sleep } from 'node:timers/promises';
import type { HandlerLog } from '@trellis/contract';

/** The context of a background task. */
export interface TaskContext {
  /** Aborted when the service stops, or when another process takes over: the task should end soon. */
  readonly signal: AbortSignal;
  /** The log of the service. Every line names the task. */
  readonly log: HandlerLog;
}

/** A metric of a task, for /metrics. With several workers, the values of all of them are added up. */
export interface TaskMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly values: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** Work beside requests. Of all processes that share a store, one runs it at a time. */
export interface BackgroundTask {
  /** What logs and metrics call it. */
  readonly name: string;
  /** Works until its signal is aborted, or until it is done. If it rejects, it is run again after a pause. */
  readonly run: (context: TaskContext) => Promise<void>;
  /** Returns the task's own metrics. */
  readonly metrics?: () => readonly TaskMetric[];
}

/** The largest deviation of a pause, as a fraction: processes that start together drift apart. */
const JITTER = 0.1;

/**
 * Creates the `run` of a task that works at once, and then repeatedly, `milliseconds` ± 10% after each run ends. Runs
 * never overlap. If the work rejects, it is retried after a shorter pause, which grows with each failure.
 *
 * @example
 * const cleanUp: BackgroundTask = { name: 'clean-up', run: every(60_000, () => deleteExpired()) };
 */
export const every =
  (milliseconds: number, work: (context: TaskContext) => Promise<void>): BackgroundTask['run'] =>
  async (context) => {
    const { signal } = context;
    while (!signal.aborted) {
      await work(context);
      const pause = milliseconds * (1 + JITTER * (2 * Math.random() - 1));
      await sleep(pause, undefined, { signal }).catch(() => {}); // aborted: the loop ends
    }
  };

/** A lock that this process holds. */
export interface HeldLock {
  /** Aborted once another process may hold the lock, for example because the connection of the lock was lost. */
  readonly lost: AbortSignal;
  /** Releases the lock. */
  release(): Promise<void>;
}

/** Waits for a lock. Rejects if it cannot be acquired, or once the signal is aborted. */
export type TakeLock = (signal: AbortSignal) => Promise<HeldLock>;

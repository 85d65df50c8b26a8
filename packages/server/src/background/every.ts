import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundTask, TaskContext } from './task.ts';

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

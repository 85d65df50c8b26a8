import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundTask, TaskContext } from './task.ts';

/** By how much a pause differs from what was asked for, at most: processes that start together drift apart. */
const JITTER = 0.1;

/**
 * Makes the `run` of a task that works at once, and again so many milliseconds after it was done, more or less a tenth.
 * It never overlaps itself. Work that rejects is done again after a shorter pause, which grows.
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

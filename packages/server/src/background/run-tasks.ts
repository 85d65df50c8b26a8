import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHandlerLog, type Log } from '../http/observe/request-log.ts';
import { createBackoff } from './backoff.ts';
import type { BackgroundTask, HeldLock, TakeLock } from './task.ts';
import { createTaskMetrics } from './task-metrics.ts';

/** How long tasks may take to end once their signal is aborted, in milliseconds: as long as requests may. */
const STOP_WITHIN = 10_000;

const checkNames = (names: readonly string[]): void => {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new Error(`two background tasks are called "${twice}"; name each its own way`);
};

/** Waits, but no longer than until the signal is aborted. */
const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => {});

const abortOf = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

/**
 * Creates a function that runs a task until it is done, or the signal is aborted. A task that fails is run again after a
 * pause, which grows. One that returns is done, as far as this process is concerned.
 */
const createRunner = (log: Log, metrics: ReturnType<typeof createTaskMetrics>) => {
  const done = new Set<BackgroundTask>();
  return async (task: BackgroundTask, signal: AbortSignal): Promise<void> => {
    const { name } = task;
    const context = { signal, log: createHandlerLog(log, { task: name }) };
    const nextPause = createBackoff();
    while (!signal.aborted && !done.has(task)) {
      const started = performance.now();
      metrics.add(task, 'runs');
      metrics.add(task, 'running');
      let failure: { readonly err: unknown } | undefined;
      try {
        await task.run(context);
      } catch (err) {
        failure = { err };
      }
      metrics.add(task, 'running', -1);
      if (!failure) {
        if (!signal.aborted) done.add(task);
      } else if (signal.aborted) log.debug({ task: name, ...failure }, 'a background task was aborted');
      else {
        const pause = nextPause(performance.now() - started);
        metrics.add(task, 'failures');
        log.error({ task: name, ...failure, pause }, 'a background task failed; it runs again');
        await pauseFor(pause, signal);
      }
    }
  };
};

/**
 * Creates what runs tasks while this process holds some locks, which it takes one after the other. When one is lost, the
 * tasks are aborted, and run again once all locks are held again.
 */
export const createBackground = (
  tasks: readonly BackgroundTask[],
  log: Log,
  locks: readonly TakeLock[] = [],
) => {
  checkNames(tasks.map(({ name }) => name));
  const metrics = createTaskMetrics(tasks);
  const runTask = createRunner(log, metrics);
  const stopping = new AbortController();
  let ended = Promise.resolve();

  const runUntilLost = async (): Promise<void> => {
    const held: HeldLock[] = [];
    try {
      for (const take of locks) held.unshift(await take(stopping.signal));
      const signal = AbortSignal.any([stopping.signal, ...held.map(({ lost }) => lost)]);
      await Promise.all([...tasks.map((task) => runTask(task, signal)), abortOf(signal)]);
    } finally {
      for (const lock of held) await lock.release().catch(() => {}); // it is lost
    }
  };

  const run = async (): Promise<void> => {
    const { signal } = stopping;
    const nextPause = createBackoff();
    while (!signal.aborted) {
      const started = performance.now();
      const reason = await runUntilLost().catch((err: unknown) => ({ err }));
      if (signal.aborted) return;
      const pause = nextPause(performance.now() - started);
      log.warn({ ...reason, pause }, 'background tasks wait: the lock is lost, or cannot be had');
      await pauseFor(pause, signal);
    }
  };

  return {
    collect: metrics.collect,
    start(): void {
      if (tasks.length > 0) ended = run();
    },
    /** Aborts the tasks. Settles once they have ended and the locks are released, or when their time is over. */
    async stop(): Promise<void> {
      stopping.abort();
      const deadline = new AbortController();
      void ended.then(() => deadline.abort());
      await pauseFor(STOP_WITHIN, deadline.signal);
      if (deadline.signal.aborted) return;
      log.warn(
        { tasks: metrics.running() },
        'background tasks did not end in time; the service stops anyway',
      );
    },
  };
};

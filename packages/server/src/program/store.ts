import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@trellis/contract';
import { overloaded } from '@trellis/contract/internal/handlers';
import type { HeldLock } from '../background/task.ts';

/** Called once a batch is committed or has failed, for each of its items, with the result of the item or the error. */
export type OnSettled = (outcome: unknown, batchSize: number) => void;

/** Receives the measurements of a group commit, for metrics and traces. */
export interface StoreObserver {
  /** Called for each queue, with a function that returns the number of waiting items. */
  watchQueue(depth: () => number): void;
  committed(size: number, seconds: number): void;
  failed(seconds: number): void;
  /** Called when an item is submitted, in the caller's context. The result is called when the item settles. */
  followItem?: (() => OnSettled | undefined) | undefined;
}

/** The parts of a store that the service itself uses; handlers may need more. */
export interface Store {
  /** Gives the reason, in a word, why the store cannot serve now; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  readonly close: () => Promise<void>;
  /**
   * Waits for a lock of all processes that share the store. Background tasks run in the one that holds it. Without it,
   * they run in one process of `WORKERS`.
   */
  readonly lock?: (name: string, signal: AbortSignal) => Promise<HeldLock>;
}

/** A store, or `undefined` for a service that keeps nothing. */
export type MaybeStore = Store | undefined;

/** Options for opening a store, beside its settings. */
export interface StoreOptions {
  /** Gets the sizes and durations of commits, if the store has a group commit. */
  readonly observer?: StoreObserver | undefined;
  /** Opens a store that is unavailable now, instead of failing. Requests fail until it is available. */
  readonly mayBeUnavailable?: boolean;
}

/** The codes of a store's errors: status × 100 + n. */
export const STORE_PROBLEMS = { storeUnavailable: 50301 } as const;

const RETRY = { 'Retry-After': '1' };

/**
 * Converts the failures of a store into replies; returns any other error unchanged. A store's errors are recognized by
 * name, so that a store without `@trellis/data` can throw them, too.
 */
export const storeProblem = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (error.name === 'StoreUnavailable')
    return new Problem(STORE_PROBLEMS.storeUnavailable, 'the store is unavailable; try again', {
      headers: RETRY,
      cause: error,
    });
  if (error.name === 'StoreOverloaded') return overloaded(error);
  if (error.name === 'InvalidValue')
    return new Problem('schemaMismatch', 'a value is out of the range of the store', {
      cause: error.message,
    });
  return error;
};

/** How long a readiness probe waits for the store, in milliseconds. */
const READY_WITHIN = 2000;

/**
 * Makes the check of an app out of a store's own, which gives a reason in a word. However many probes come, the store
 * answers one check at a time: a slow store has enough to do.
 */
export const createReadyCheck = (
  check: () => Promise<string | undefined>,
): (() => Promise<Problem | undefined>) => {
  let checking: Promise<string | undefined> | undefined;
  return async () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    const reason = await Promise.race([checking, sleep(READY_WITHIN, 'timeout', { ref: false })]);
    return reason === undefined
      ? undefined
      : new Problem(STORE_PROBLEMS.storeUnavailable, reason, { headers: RETRY });
  };
};

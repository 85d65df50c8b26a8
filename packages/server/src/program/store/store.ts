import type { HeldLock } from '../../background/lock.ts';

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

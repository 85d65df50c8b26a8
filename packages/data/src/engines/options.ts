import type { CommitObserver } from './observer.ts';

/** How a store is opened. */
export interface OpenOptions {
  /** Refuses a file or a database without a store, instead of creating one there. The store is then only read. */
  readonly mustExist?: boolean;
  /** For one caller that writes very many rows and limits by itself how many wait. */
  readonly bulk?: boolean;
  /** Gets the sizes and durations of commits, if the store has a group commit. */
  readonly observer?: CommitObserver | undefined;
  /** Opens a store that does not serve now, instead of refusing it. Requests fail until it does. */
  readonly mayBeUnavailable?: boolean;
}

/** How the service uses its PostgreSQL; times in milliseconds. */
export interface PostgresLimits {
  readonly poolSize: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
}

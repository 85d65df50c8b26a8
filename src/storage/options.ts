import type { CommitObserver } from './group-commit.ts';

/** How a store is opened. */
export interface OpenOptions {
  /** Whether a store that is not there is refused, and not made: no file, or a PostgreSQL database without one. */
  readonly mustExist?: boolean;
  /** Whether one caller creates very many: it minds its own bounds, and nobody else waits for an answer meanwhile. */
  readonly bulk?: boolean;
  /** Is told how its group commit is doing, where it has one. */
  readonly observer?: CommitObserver | undefined;
}

/** How the service uses its PostgreSQL; times in milliseconds. */
export interface PostgresLimits {
  readonly poolSize: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
}

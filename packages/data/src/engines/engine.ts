import type { CommitObserver } from './group-commit.ts';

/** A statement and its values. An engine may keep statements prepared, so pass what varies as values. */
export interface SqlStatement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The rows that a statement found or returned (RETURNING), and the number of changed rows. Integers are bigint. */
export interface SqlResult<Row> {
  readonly rows: Row[];
  readonly numAffectedRows: bigint;
}

/**
 * An open transaction. The caller that began it ends it with `commit` or `rollback`. The engine rolls it back when its
 * time is up, and each later call rejects with StoreUnavailable (`timeout`). After a statement has failed, the
 * transaction can only be rolled back: `run` and `commit` reject with that failure. Without a commit, all changes are
 * undone, sooner or later, even if `rollback` rejects. It rejects only if it is uncertain that all data the transaction
 * read is durable.
 */
export interface SqlTransaction {
  run<Row>(statement: SqlStatement): Promise<SqlResult<Row>>;
  /** Settles once everything that the transaction wrote, and everything that it saw, is durable. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** A lock that this process holds. */
export interface HeldLock {
  /** Aborted once another process may hold the lock: for example, when the connection that held it has ended. */
  readonly lost: AbortSignal;
  /** Releases the lock. */
  release(): Promise<void>;
}

/**
 * Runs statements on a database. Transactions are serializable on every engine. All of it settles within a bounded time.
 * It rejects with StoreUnavailable; with StoreOverloaded if nothing was tried; with ConstraintViolation; and with the
 * database's own error if the statement itself is at fault in another way (a syntax error).
 */
export interface SqlEngine {
  /** Runs a statement that only reads. It waits for no writer, and sees everything committed before the call. */
  read<Row>(statement: SqlStatement): Promise<SqlResult<Row>>;
  /** Runs a statement as its own transaction, durable once this settles. Concurrent calls may share a commit. */
  run<Row>(statement: SqlStatement): Promise<SqlResult<Row>>;
  /** Begins a transaction that may take `timeout` milliseconds in all, its wait for the writer included. */
  begin(options: { readonly timeout: number }): Promise<SqlTransaction>;
  /** Whether a failed transaction has certainly changed nothing, and may succeed if it is tried again soon. */
  isRetryable(error: unknown): boolean;
  /** Tells, by writing, why a write would fail now; `undefined` if it would not. */
  check(): Promise<string | undefined>;
  /** Finishes all accepted work, then releases the database. */
  close(): Promise<void>;
  /**
   * Waits for a lock of all processes that share the database, while that is unreachable too; rejects once the signal is
   * aborted. Release it before `close`. An engine whose database belongs to one service has none.
   */
  lock?(name: string, signal: AbortSignal): Promise<HeldLock>;
}

/** How a store is opened. */
export interface OpenOptions {
  /** Refuses a file or a database without a store, instead of creating one there. The store is then only read. */
  readonly mustExist?: boolean;
  /** For one caller that writes very many rows and limits by itself how many wait. */
  readonly bulk?: boolean;
  /** Gets the sizes and durations of commits, if the store has a group commit. */
  readonly observer?: CommitObserver | undefined;
  /** Opens a PostgreSQL that does not serve now, instead of refusing it. Requests fail until it does. */
  readonly mayBeUnavailable?: boolean;
}

/** How the service uses its PostgreSQL; times in milliseconds. */
export interface PostgresLimits {
  readonly poolSize: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
}

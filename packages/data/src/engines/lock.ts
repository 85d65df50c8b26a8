/** A lock that this process holds. */
export interface HeldLock {
  /** Aborted once another process may hold the lock: for example, when the connection that held it has ended. */
  readonly lost: AbortSignal;
  /** Releases the lock. */
  release(): Promise<void>;
}

/** Waits for an exclusive lock. Rejects if the lock is unavailable, or once the signal is aborted. */
export type TakeLock = (signal: AbortSignal) => Promise<HeldLock>;

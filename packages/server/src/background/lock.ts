/** A lock that this process holds. */
export interface HeldLock {
  /** Aborted once another process may hold the lock, for example because the connection of the lock was lost. */
  readonly lost: AbortSignal;
  /** Releases the lock. */
  release(): Promise<void>;
}

/** Waits for a lock. Rejects if it cannot be acquired, or once the signal is aborted. */
export type TakeLock = (signal: AbortSignal) => Promise<HeldLock>;

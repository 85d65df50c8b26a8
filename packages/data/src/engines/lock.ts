/** A lock that this process holds. */
export interface HeldLock {
  /** Aborted once somebody else may hold the lock: the connection that held it is gone, say. */
  readonly lost: AbortSignal;
  /** Lets somebody else have it. */
  release(): Promise<void>;
}

/** Waits for a lock of which there is one; rejects if it cannot be had, or once the signal is aborted. */
export type TakeLock = (signal: AbortSignal) => Promise<HeldLock>;

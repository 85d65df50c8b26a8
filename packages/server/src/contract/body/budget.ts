import { overloaded } from '../problems/problem.ts';

/** The memory that one request takes. */
export interface Share {
  /** Whether there is room for so many bytes more. */
  fits(bytes: number): boolean;
  /** Adds bytes; throws 503 if that is too much for all requests together. */
  take(bytes: number): void;
  /** Counts this many bytes instead of those before, even if there is no room: they are in memory already. */
  resize(bytes: number): void;
  /** Gives all bytes back. */
  release(): void;
}

/** Enough for 650 bodies of 100 KiB at once, or for a small one on every connection. */
const MAX_BUFFERED_BYTES = 64 * 2 ** 20;

/** How many bytes all requests together may keep in memory, by the limit of one body. */
export const bufferedBytesFor = (maxBodyBytes: number): number =>
  Math.max(MAX_BUFFERED_BYTES, maxBodyBytes * 2);

/**
 * Bounds the memory of all requests together: while they wait to be served, are read, validated and wait for the store,
 * and until their replies are sent. One request is bounded by its own limit; ten thousand of them are bounded here.
 */
export const createBudget = (total = MAX_BUFFERED_BYTES) => {
  let used = 0;
  const fits = (bytes: number): boolean => used + bytes <= total;
  return (): Share => {
    let mine = 0;
    return {
      fits,
      take(bytes) {
        if (!fits(bytes)) throw overloaded();
        used += bytes;
        mine += bytes;
      },
      resize(bytes) {
        used += bytes - mine;
        mine = bytes;
      },
      release() {
        used -= mine;
        mine = 0;
      },
    };
  };
};

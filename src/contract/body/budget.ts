import { Problem } from '../problems/problem.ts';

/** The memory of one request. */
export interface Share {
  /** Counts bytes more; throws where that would be too many for all requests together. */
  take(bytes: number): void;
  /** Counts so many bytes in place of those before, room or not: they are there already. */
  resize(bytes: number): void;
  /** Gives all of them back. */
  release(): void;
}

/**
 * Bounds what all requests together keep in memory while they are read, validated and wait for the store, and until
 * their replies are read. One request is bounded by its own limit; ten thousand of them are bounded here.
 */
export const createBudget = (total: number) => {
  let used = 0;
  return (): Share => {
    let mine = 0;
    return {
      take(bytes) {
        if (used + bytes > total)
          throw new Problem('overloaded', 'the service is overloaded; try again', {
            headers: { 'Retry-After': '1' },
          });
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

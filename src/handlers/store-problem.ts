import { Problem } from '../contract/problem.ts';
import { StoreUnavailable } from '../plants/repository.ts';

/** What the store's own failures mean to a client; anything else stays what it is. */
export const storeProblem = (error: unknown): unknown =>
  error instanceof StoreUnavailable
    ? new Problem('storeUnavailable', 'the store is unavailable; try again', {
        headers: { 'Retry-After': '1' },
        cause: error,
      })
    : error;

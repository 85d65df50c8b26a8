import { Problem } from './contract/problems/problem.ts';
import { StoreOverloaded, StoreUnavailable } from './engines/errors.ts';

/** What the store's own failures mean to a client; anything else stays what it is. */
export const storeProblem = (error: unknown): unknown => {
  const options = { headers: { 'Retry-After': '1' }, cause: error };
  if (error instanceof StoreUnavailable)
    return new Problem('storeUnavailable', 'the store is unavailable; try again', options);
  if (error instanceof StoreOverloaded)
    return new Problem('overloaded', 'the service is overloaded; try again', options);
  return error;
};

import type { Request } from 'express';
import type { Problem } from '../contract/problem.ts';

/** What is asked of whoever logs. */
export interface Log {
  error(details: object, message: string): void;
}

/** How often a failure that comes in floods is told, in milliseconds. */
const TOLD_EVERY = 1000;

/**
 * Logs what a client is told nothing of. A store that is away fails every request alike: of those failures one
 * line a second is written, with the number of those that were not.
 */
export const createFailureLog = (log: Log) => {
  let told = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return ({ status }: Problem, error: unknown, { method, baseUrl, path }: Request): void => {
    const details = { err: error, method, path: baseUrl + path };
    if (status === 500) {
      log.error(details, 'request failed');
      return;
    }
    if (performance.now() - told < TOLD_EVERY) {
      untold += 1;
      return;
    }
    log.error({ ...details, ...(untold > 0 && { untold }) }, 'request refused');
    told = performance.now();
    untold = 0;
  };
};

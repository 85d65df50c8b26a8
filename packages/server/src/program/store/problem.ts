import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@trellis/contract';
import { overloaded } from '@trellis/contract/internal/handlers';

/** The codes of a store's errors: status × 100 + n. */
export const STORE_PROBLEMS = { storeUnavailable: 50301 } as const;

const RETRY = { 'Retry-After': '1' };

/**
 * Converts the failures of a store into replies; returns any other error unchanged. A store's errors are recognized by
 * name, so that a store without `@trellis/data` can throw them, too.
 */
export const storeProblem = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (error.name === 'StoreUnavailable')
    return new Problem(STORE_PROBLEMS.storeUnavailable, 'the store is unavailable; try again', {
      headers: RETRY,
      cause: error,
    });
  if (error.name === 'StoreOverloaded') return overloaded(error);
  if (error.name === 'InvalidValue')
    return new Problem('schemaMismatch', 'a value is out of the range of the store', {
      cause: error.message,
    });
  return error;
};

/** How long a readiness probe waits for the store, in milliseconds. */
const READY_WITHIN = 2000;

/**
 * Makes the check of an app out of a store's own, which gives a reason in a word. However many probes come, the store
 * answers one check at a time: a slow store has enough to do.
 */
export const createReadyCheck = (
  check: () => Promise<string | undefined>,
): (() => Promise<Problem | undefined>) => {
  let checking: Promise<string | undefined> | undefined;
  return async () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    const reason = await Promise.race([checking, sleep(READY_WITHIN, 'timeout', { ref: false })]);
    return reason === undefined
      ? undefined
      : new Problem(STORE_PROBLEMS.storeUnavailable, reason, { headers: RETRY });
  };
};

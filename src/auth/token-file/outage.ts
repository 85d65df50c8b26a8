import { Problem } from '../../contract/problems/problem.ts';
import type { Log } from '../log.ts';
import { PATIENCE } from './presence.ts';

/** How many milliseconds the file may be out of sight before its tokens are no longer let in. */
const OUT_OF_SIGHT = 500;

/**
 * Notices when a token file has been out of sight for long: whoever was let in before may have been revoked since. That
 * is over once a look finds every token again, or those that it does not find have been given time to come back.
 */
export const createOutage = (file: string, log: Log) => {
  let isOut = false;
  let reason = 'unknown';
  let outOfSightFor = 0;
  let seenAgainAt: number | undefined;

  return {
    /** Takes note of milliseconds that have passed without a look at the file. */
    wait(passed: number): void {
      outOfSightFor += passed;
      if (outOfSightFor < OUT_OF_SIGHT) return;
      if (!isOut)
        log.warn({ file, code: reason }, 'the token file cannot be looked at; its tokens are answered 503');
      isOut = true;
      seenAgainAt = undefined;
    },
    /** Takes note of the code of an error that a look has failed for. */
    fail(code: string): void {
      reason = code;
    },
    /** Takes note that the file is in sight. */
    see(): void {
      outOfSightFor = 0;
    },
    /** Takes note of a look that was judged, at what time, and of how many tokens it did not find. */
    judge(time: number, missing: number): void {
      if (!isOut) return;
      seenAgainAt ??= time;
      if (missing > 0 && time - seenAgainAt < PATIENCE) return;
      isOut = false;
      seenAgainAt = undefined;
      log.info({ file }, 'the token file can be looked at again');
    },
    /** What to answer while it lasts. */
    problem: (): Problem | undefined =>
      isOut
        ? new Problem('keysUnavailable', 'tokens cannot be looked up at the moment; try again', {
            headers: { 'Retry-After': '1' },
          })
        : undefined,
  };
};

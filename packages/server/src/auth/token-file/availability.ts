import { Problem } from '../../contract/problems/problem.ts';
import { AUTH_PROBLEMS } from '../tokens/problems.ts';
import type { Log } from './change-log.ts';
import { GRACE } from './valid-tokens.ts';

/** For how many milliseconds the file may go unread before its tokens are answered 503. */
const MAX_UNREAD = 500;

/**
 * Tracks whether a token file can be read. If it has not been read for too long, any of its tokens may have been
 * revoked, so none can be trusted. It is available again once a poll finds every token, or missing tokens have had the
 * grace time.
 */
export const createAvailability = (file: string, log: Log) => {
  let isUnavailable = false;
  let reason = 'unknown';
  let unreadFor = 0;
  let readAgainAt: number | undefined;

  return {
    /** Counts milliseconds that have passed without a read. */
    addUnread(passed: number): void {
      unreadFor += passed;
      if (unreadFor < MAX_UNREAD) return;
      if (!isUnavailable)
        log.warn({ file, code: reason }, 'the token file cannot be looked at; its tokens are answered 503');
      isUnavailable = true;
      readAgainAt = undefined;
    },
    /** Notes the code of an error that a read has failed with. */
    noteFailure(code: string): void {
      reason = code;
    },
    /** Notes that the file was read. */
    noteRead(): void {
      unreadFor = 0;
    },
    /** Notes the time of a poll, and how many tokens it has not found. */
    update(time: number, missing: number): void {
      if (!isUnavailable) return;
      readAgainAt ??= time;
      if (missing > 0 && time - readAgainAt < GRACE) return;
      isUnavailable = false;
      readAgainAt = undefined;
      log.info({ file }, 'the token file can be looked at again');
    },
    /** The answer to tokens of the file while it is unavailable. */
    problem: (): Problem | undefined =>
      isUnavailable
        ? new Problem(AUTH_PROBLEMS.keysUnavailable, 'tokens cannot be looked up at the moment; try again', {
            headers: { 'Retry-After': '1' },
          })
        : undefined,
  };
};

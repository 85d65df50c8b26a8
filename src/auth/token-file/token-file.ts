import type { Problem } from '../../contract/problems/problem.ts';
import type { Principal } from '../../contract/security.ts';
import { createTokenSet } from '../tokens/token-set.ts';
import { createAvailability } from './availability.ts';
import { createChangeLog, type Log } from './change-log.ts';
import { createFileReader, isInconclusive, isSameResult, type ReadResult, TOO_LARGE } from './file-reader.ts';
import { createLineReader, NOTHING } from './lines.ts';
import { createValidTokens, GRACE, type Poll } from './valid-tokens.ts';

/** The tokens of a file that may change at any time. */
export interface TokenFile {
  readonly find: (token: string) => Principal | undefined;
  /** The answer to tokens while the file cannot be read; `undefined` while it can. */
  readonly problem: () => Problem | undefined;
  readonly close: () => void;
}

const MAX_MEBIBYTES = 4;

/** Milliseconds between two polls: usually, after a change, and for a file that takes long to parse. */
const POLL_EVERY = 50;
const POLL_CHANGES_EVERY = 10;
const POLL_AT_LEAST_EVERY = 100;

/** Parsing may take one part in so many of the time. */
const SHARE_OF_TIME = 10;

/**
 * Gives the milliseconds since the last call, counting a long gap as a short one: a process that was suspended has not
 * polled the file, and must not revoke tokens as if it had.
 */
const createStopwatch = () => {
  let calledAt = performance.now();
  return (): number => {
    const passed = performance.now() - calledAt;
    calledAt += passed;
    return Math.min(passed, POLL_AT_LEAST_EVERY);
  };
};

const cannotStart = (file: string, code: string): Error =>
  new Error(
    code === TOO_LARGE
      ? `ACCESS_TOKENS_FILE: ${file} is larger than ${MAX_MEBIBYTES} MiB`
      : `ACCESS_TOKENS_FILE: ${file} cannot be read (${code})`,
  );

/**
 * Opens a token file and follows its changes: a token that is removed from it is revoked within half a second. Polling
 * compares the content, because timestamps and watchers miss changes on some file systems, behind links and across
 * renames. Invalid lines are logged and left out. A file that is deleted or may not be read has no tokens. If reading
 * fails for another reason, no free descriptor for example, its tokens are answered 503: they may have been revoked
 * meanwhile.
 */
export const openTokenFile = async (file: string, log: Log): Promise<TokenFile> => {
  const readFile = createFileReader(file, MAX_MEBIBYTES * 1_048_576);
  const tokens = createTokenSet();
  const readLines = createLineReader(tokens.digestOf);

  const first = await readFile();
  if (typeof first === 'string') throw cannotStart(file, first);
  let last: Poll = { result: Buffer.from(first), found: await readLines(first), time: 0, isStable: true };
  const [fault] = last.found.faults;
  if (fault) throw new Error(`ACCESS_TOKENS_FILE: line ${fault.position} of ${file} ${fault.reason}`);
  const validTokens = createValidTokens(tokens, last.found);
  const logChanges = createChangeLog(file, log, last.result);
  const availability = createAvailability(file, log);

  const passedSincePoll = createStopwatch();
  let changedAt = 0;
  const update = async (result: ReadResult): Promise<void> => {
    const time = last.time + passedSincePoll();
    if (!isSameResult(result, last.result)) {
      changedAt = time;
      last =
        typeof result === 'string'
          ? { result, found: NOTHING, time, isStable: false }
          : { result: Buffer.from(result), found: await readLines(result), time, isStable: false };
      validTokens.update(last);
    } else if (last.isStable) {
      last = { ...last, time };
    } else {
      last = { ...last, time, isStable: time - changedAt >= GRACE };
      validTokens.update(last);
    }
    availability.update(time, validTokens.countMissing());
    logChanges(last, tokens.size);
  };

  let closed = false;
  let state: 'idle' | 'reading' | 'parsing' = 'idle';
  let parsingTime = 0;
  const poll = async (): Promise<void> => {
    state = 'reading';
    const result = await readFile();
    state = 'idle';
    if (closed) return;
    if (isInconclusive(result)) {
      availability.noteFailure(result);
      return;
    }
    availability.noteRead();
    state = 'parsing';
    const startedAt = performance.now();
    await update(result).finally(() => {
      parsingTime = performance.now() - startedAt;
      state = 'idle';
    });
  };

  const passedSinceTick = createStopwatch();
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    const passed = passedSinceTick();
    if (state !== 'parsing') availability.addUnread(passed);
    if (state === 'idle') poll();
    schedulePoll();
  };
  const schedulePoll = (): void => {
    const least = last.isStable ? POLL_EVERY : POLL_CHANGES_EVERY;
    const interval = Math.max(least, Math.min(parsingTime * SHARE_OF_TIME, POLL_AT_LEAST_EVERY));
    timer = setTimeout(tick, interval).unref();
  };
  schedulePoll();

  return {
    find: tokens.find,
    problem: availability.problem,
    close() {
      closed = true;
      clearTimeout(timer);
      logChanges(last, tokens.size, true);
    },
  };
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '../../contract/problems/problem.ts';
import type { Principal } from '../../contract/security.ts';
import { createTokenSet } from '../tokens/token-set.ts';
import { createAvailability } from './availability.ts';
import { createChangeLog, type Log, logFaults } from './change-log.ts';
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

/** How a token file is opened. */
export interface TokenFileOptions {
  /** Whether the file may be missing or have lines with errors. Otherwise a service that starts tells at once. */
  readonly isTolerant: boolean;
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

const refuseFaults = (file: string, { result, found }: Poll): void => {
  const [fault] = found.faults;
  if (fault) throw new Error(`ACCESS_TOKENS_FILE: line ${fault.position} of ${file} ${fault.reason}`);
  if (result === TOO_LARGE)
    throw new Error(`ACCESS_TOKENS_FILE: ${file} is larger than ${MAX_MEBIBYTES} MiB`);
  if (typeof result === 'string') throw new Error(`ACCESS_TOKENS_FILE: ${file} cannot be read (${result})`);
};

/** Whether somebody may be writing a file at this moment: then it is not yet, or no longer, what it should be. */
const mayBeInEdit = ({ result, found: { owners, unfinished, leftOut } }: Poll): boolean =>
  typeof result === 'string' || owners.size === 0 || unfinished !== undefined || leftOut > 0;

/**
 * Opens a token file and follows its changes: a token that is removed from it is revoked within half a second. Polling
 * compares the content, because timestamps and watchers miss changes on some file systems, behind links and across
 * renames. Invalid lines are logged and left out. A file that is deleted or may not be read has no tokens. If reading
 * fails for another reason, no free descriptor for example, its tokens are answered 503: they may have been revoked
 * meanwhile. A file that has faults when it is opened is refused, unless `isTolerant`: then it is as if it had got them
 * later.
 */
export const openTokenFile = async (
  file: string,
  log: Log,
  { isTolerant }: TokenFileOptions,
): Promise<TokenFile> => {
  const readFile = createFileReader(file, MAX_MEBIBYTES * 1_048_576);
  const tokens = createTokenSet();
  const readLines = createLineReader(tokens.digestOf);

  const parse = async (result: ReadResult, time: number, isStable: boolean): Promise<Poll> =>
    typeof result === 'string'
      ? { result, found: NOTHING, time, isStable }
      : { result: Buffer.from(result), found: await readLines(result), time, isStable };

  let last = await parse(await readFile(), 0, true);
  for (let waited = 0; isTolerant && mayBeInEdit(last) && waited < GRACE; waited += POLL_CHANGES_EVERY) {
    await sleep(POLL_CHANGES_EVERY);
    last = await parse(await readFile(), 0, true);
  }
  if (!isTolerant) refuseFaults(file, last);
  const validTokens = createValidTokens(tokens, last.found);
  const logChanges = createChangeLog(file, log, last.result);
  const availability = createAvailability(file, log);
  if (isInconclusive(last.result)) {
    availability.noteFailure(last.result);
    availability.addUnread(Number.POSITIVE_INFINITY);
  } else logFaults(file, log, last);

  const passedSincePoll = createStopwatch();
  let changedAt = 0;
  const update = async (result: ReadResult): Promise<void> => {
    const time = last.time + passedSincePoll();
    if (!isSameResult(result, last.result)) {
      changedAt = time;
      last = await parse(result, time, false);
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

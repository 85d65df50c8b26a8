import type { Problem } from '../contract/problems/problem.ts';
import type { Principal } from '../contract/security.ts';
import type { Log } from './log.ts';
import { createTokenSet } from './static-tokens.ts';
import { createLineReader, NOTHING } from './token-file/lines.ts';
import { createNews } from './token-file/news.ts';
import { createOutage } from './token-file/outage.ts';
import { createPresence, type Look, PATIENCE } from './token-file/presence.ts';
import { createFileLook, isSameSight, type Sight, TOO_LARGE, tellsNothing } from './token-file/sight.ts';

/** The tokens of a file, as it is now. */
export interface TokenFile {
  readonly find: (token: string) => Principal | undefined;
  /** What to answer while nobody can tell who is known, because the file cannot be looked at. */
  readonly outage: () => Problem | undefined;
  readonly close: () => void;
}

const MAX_MEBIBYTES = 4;

/** Milliseconds from one look to the next, and after a change; a file that takes long to read is looked at less often. */
const LOOK_EVERY = 50;
const LOOK_AT_CHANGES_EVERY = 10;
const LOOK_AT_LEAST_EVERY = 100;

/** Reading takes one part in so many of the time. */
const SHARE_OF_TIME = 10;

/**
 * The milliseconds since it was last asked, a long gap counted as a short one: a process that was held up has not
 * looked, and must not decide as if it had.
 */
const createStopwatch = () => {
  let askedAt = performance.now();
  return (): number => {
    const passed = performance.now() - askedAt;
    askedAt += passed;
    return Math.min(passed, LOOK_AT_LEAST_EVERY);
  };
};

const cannotStart = (file: string, code: string): Error =>
  new Error(
    code === TOO_LARGE
      ? `ACCESS_TOKENS_FILE: ${file} is larger than ${MAX_MEBIBYTES} MiB`
      : `ACCESS_TOKENS_FILE: ${file} cannot be read (${code})`,
  );

/**
 * Knows the tokens of a file, as it is now: a token that is taken out of it is revoked within half a second. The
 * content itself is compared, since times and watchers miss changes on some file systems, behind links and across
 * renames. Lines with a slip are left out and told in the log, the others hold; a file that is gone or may not be read
 * knows nobody. A file that cannot be looked at, because no descriptor is free, say, is an outage: who was let in
 * before may have been revoked since.
 */
export const openTokenFile = async (file: string, log: Log): Promise<TokenFile> => {
  const lookAtFile = createFileLook(file, MAX_MEBIBYTES * 1_048_576);
  const tokens = createTokenSet();
  const readLines = createLineReader(tokens.digestOf);

  const first = await lookAtFile();
  if (typeof first === 'string') throw cannotStart(file, first);
  let last: Look = { sight: Buffer.from(first), found: await readLines(first), time: 0, isStill: true };
  const [fault] = last.found.faults;
  if (fault) throw new Error(`ACCESS_TOKENS_FILE: line ${fault.position} of ${file} ${fault.reason}`);
  const { judge, missing } = createPresence(tokens, last.found);
  const tell = createNews(file, log, last.sight);
  const outage = createOutage(file, log);

  const passedSinceLook = createStopwatch();
  let changedAt = 0;
  const take = async (sight: Sight): Promise<void> => {
    const time = last.time + passedSinceLook();
    if (!isSameSight(sight, last.sight)) {
      changedAt = time;
      last =
        typeof sight === 'string'
          ? { sight, found: NOTHING, time, isStill: false }
          : { sight: Buffer.from(sight), found: await readLines(sight), time, isStill: false };
      judge(last);
    } else if (last.isStill) {
      last = { ...last, time };
    } else {
      last = { ...last, time, isStill: time - changedAt >= PATIENCE };
      judge(last);
    }
    outage.judge(time, missing());
    tell(last, tokens.size);
  };

  let closed = false;
  let doing: 'nothing' | 'looking' | 'reading' = 'nothing';
  let cost = 0;
  const look = async (): Promise<void> => {
    doing = 'looking';
    const sight = await lookAtFile();
    doing = 'nothing';
    if (closed) return;
    if (tellsNothing(sight)) {
      outage.fail(sight);
      return;
    }
    outage.see();
    doing = 'reading';
    const startedAt = performance.now();
    await take(sight).finally(() => {
      cost = performance.now() - startedAt;
      doing = 'nothing';
    });
  };

  const passedSinceTick = createStopwatch();
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    const passed = passedSinceTick();
    if (doing !== 'reading') outage.wait(passed);
    if (doing === 'nothing') look();
    lookLater();
  };
  const lookLater = (): void => {
    const least = last.isStill ? LOOK_EVERY : LOOK_AT_CHANGES_EVERY;
    timer = setTimeout(tick, Math.max(least, Math.min(cost * SHARE_OF_TIME, LOOK_AT_LEAST_EVERY))).unref();
  };
  lookLater();

  return {
    find: tokens.find,
    outage: outage.problem,
    close() {
      closed = true;
      clearTimeout(timer);
      tell(last, tokens.size, true);
    },
  };
};

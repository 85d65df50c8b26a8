import { isSameResult, type ReadResult } from './file-reader.ts';
import type { Poll } from './valid-tokens.ts';

/** The logger of the authenticators. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** The least number of milliseconds between two changes that are logged. */
const LOG_EVERY = 1000;

/** Logs what is wrong with a token file, if anything is. */
export const logFaults = (
  file: string,
  log: Log,
  { result, found }: Pick<Poll, 'result' | 'found'>,
): void => {
  if (typeof result === 'string')
    log.warn({ file, code: result }, 'the token file cannot be read; all its tokens are revoked');
  for (const { position, reason } of found.faults)
    log.warn({ file, line: position }, `a line of the token file is left out: it ${reason}`);
  const more = found.leftOut - found.faults.length;
  if (more > 0) log.warn({ file, lines: more }, 'more lines of the token file are left out');
};

/**
 * Logs the changes of a token file: once it is stable, or once a second if it never is. The last poll logs any change
 * that is still to be logged.
 */
export const createChangeLog = (file: string, log: Log, first: ReadResult) => {
  let latest = first;
  let logged = first;
  let loggedAt = Number.NEGATIVE_INFINITY;
  /** When the file began to differ from what was logged. */
  let changedAt: number | undefined;

  const noteChange = ({ result, time }: Poll): void => {
    if (result !== latest) changedAt = isSameResult(result, logged) ? undefined : (changedAt ?? time);
    latest = result;
  };

  const isDue = ({ time, isStable }: Poll, since: number): boolean =>
    time - loggedAt >= LOG_EVERY && (isStable || time - since >= LOG_EVERY);

  return (poll: Poll, tokens: number, isLast = false): void => {
    const { result, time, isStable } = poll;
    noteChange(poll);
    if (changedAt === undefined || !(isLast || isDue(poll, changedAt))) return;
    if (typeof result === 'string' && !isStable) return; // no token is revoked yet
    logged = result;
    loggedAt = time;
    changedAt = undefined;
    if (typeof result !== 'string') log.info({ file, tokens }, 'the token file has changed');
    logFaults(file, log, poll);
  };
};

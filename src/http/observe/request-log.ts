import { Problem } from '../../contract/problems/problem.ts';
import { PROBES } from './probes.ts';

/** What is asked of whoever logs. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What the log tells of a request: never a token, a query or a body. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly operation: string | undefined;
  /** The name of the token. */
  readonly who: string | undefined;
  /** Absent where the client hung up before there was a reply. */
  readonly status: number | undefined;
  readonly ms: number;
}

/** How often the cause of failures that come in floods is told, in milliseconds. */
const TOLD_EVERY = 1000;

/**
 * Writes one line for each request. A failure of ours has its cause with it, which a client is told nothing of. A
 * store that is away fails every request alike: of those, one a second has the cause, and the number of those before
 * it that had not.
 */
export const createRequestLog = (log: Log) => {
  let told = Number.NEGATIVE_INFINITY;
  let untold = 0;

  const causeOf = (error: unknown): object => {
    if (!(error instanceof Problem) || error.status === 500) return { err: error };
    if (error.cause === undefined) return { reason: error.message };
    if (performance.now() - told < TOLD_EVERY) {
      untold += 1;
      return {};
    }
    const details = { err: error, ...(untold > 0 && { untold }) };
    told = performance.now();
    untold = 0;
    return details;
  };

  return (line: RequestLine, error: unknown): void => {
    const number = error instanceof Problem && { error: error.body.error };
    if (line.status === undefined) log.info(line, 'client hung up');
    else if (line.status >= 500) log.error({ ...line, ...number, ...causeOf(error) }, 'request failed');
    else if (PROBES.has(line.operation))
      log.debug(line, 'request'); // of no interest while the answer is good
    else log.info(number ? { ...line, ...number } : line, 'request');
  };
};

import { Problem } from '../../contract/problems/problem.ts';
import { PROBES } from './probes.ts';
import { describeErrorBody, reasonOf } from './reasons.ts';

/** The logger that requests are logged with. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What the log says about every request: never a token, a query or a body. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly operation: string | undefined;
  /** The name of the token. */
  readonly who: string | undefined;
  /** `undefined` if the client hung up before there was a reply. */
  readonly status: number | undefined;
  readonly ms: number;
  /** `undefined` if the request is not traced. */
  readonly traceId: string | undefined;
}

/** How often the cause of a flood of failures is logged, in milliseconds. */
const CAUSE_EVERY = 1000;

/**
 * Writes one line per request. The line of a 4xx has its reason; that of a 5xx has its cause, which the client does not
 * see. While a store is down, every request fails with the same cause: it is logged once a second, with the number of
 * causes suppressed since (`untold`).
 */
export const createRequestLog = (log: Log) => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;

  const causeOf = (error: unknown): object => {
    if (!(error instanceof Error)) return { err: error };
    if (!(error instanceof Problem) || error.status === 500) return { reason: reasonOf(error), err: error };
    if (error.cause === undefined) return { reason: reasonOf(error) };
    if (performance.now() - loggedAt < CAUSE_EVERY) {
      suppressed += 1;
      return { reason: reasonOf(error) };
    }
    const details = { err: error, ...(suppressed > 0 && { untold: suppressed }) };
    loggedAt = performance.now();
    suppressed = 0;
    return details;
  };

  /** What went wrong: an error that was thrown, or a reply of a handler that says so. */
  const detailsOf = (status: number, error: unknown, errorBody: unknown): object => {
    const number = error instanceof Problem && { error: error.code };
    if (error === undefined) return describeErrorBody(errorBody);
    if (status >= 500) return { ...number, ...causeOf(error) };
    return { ...number, ...(error instanceof Problem && { reason: reasonOf(error) }) };
  };

  return (line: RequestLine, error: unknown, errorBody?: unknown): void => {
    const { status } = line;
    if (status === undefined) {
      log.info(line, 'client hung up');
      return;
    }
    const whole = status < 400 ? line : { ...line, ...detailsOf(status, error, errorBody) };
    if (status >= 500) log.error(whole, 'request failed');
    else if (PROBES.has(line.operation)) log.debug(whole, 'request');
    else log.info(whole, 'request');
  };
};

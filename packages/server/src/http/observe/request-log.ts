import type { IncomingMessage } from 'node:http';
import { type HandlerLog, Problem } from '@trellis/contract';
import { ownMember } from '@trellis/openapi/internal/json';

/** The paths that monitoring asks again and again. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether a request is a probe. Probes are answered even while other requests have to wait. */
export const isProbe = ({ url }: IncomingMessage): boolean => PROBES.has(url);

/**
 * Control characters, which can move a cursor, clear a screen or begin another line; and what changes the direction of
 * the text around it (Unicode Standard Annex 9, section 2).
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The beginning of a text, up to a length, with all characters escaped that could forge a log or harm a terminal. */
export const safeText = (text: string, longest: number): string =>
  (text.length > longest ? `${text.slice(0, longest)}…` : text).replace(UNSAFE, escapeCharacter);

/** How many characters of a reason are logged: it may hold names that clients choose. */
const LONGEST = 300;

/** Why a request was refused or failed: a cause that is a string, for the log alone, or else the error's message. */
const reasonOf = ({ cause, message }: Error): string =>
  safeText(typeof cause === 'string' ? cause : message, LONGEST);

/** What members of error bodies are usually called. */
const CODES = ['error', 'code'];
const MESSAGES = ['message', 'detail', 'title', 'error'];

/** The error that a handler has written into the body of its reply: its number and its message, if they can be told. */
const describeErrorBody = (body: unknown): { error?: number; reason?: string } => {
  const error = CODES.map((name) => ownMember(body, name)).find((value) => typeof value === 'number');
  const message = MESSAGES.map((name) => ownMember(body, name)).find(
    (value) => typeof value === 'string' && value !== '',
  );
  return {
    ...(typeof error === 'number' && { error }),
    ...(typeof message === 'string' && { reason: safeText(message, LONGEST) }),
  };
};

/** The logger that requests are logged with, and that handlers write to. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A log that writes nothing. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates a log whose lines all have some fields: the id of a request, say. */
export const createHandlerLog = (log: Log, fields: object): HandlerLog => {
  const writer =
    (level: keyof Log): HandlerLog['info'] =>
    (details, message = '') => {
      if (typeof details === 'string') log[level](fields, details);
      else log[level]({ ...(details instanceof Error ? { err: details } : details), ...fields }, message);
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
};

/** The members of a request line in the log: never a token, a query or a body. */
export interface RequestLine {
  readonly requestId: string;
  /** `undefined` if the client hung up before there was a reply. */
  readonly status: number | undefined;
  readonly ms: number;
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string | undefined;
  /** The name of the principal. */
  readonly who?: string | undefined;
  /** `undefined` if the request is not traced. */
  readonly traceId?: string | undefined;
  /** How a stream ended, and how many bytes of it were sent; `undefined` for a reply that was sent as a whole. */
  readonly stream?: string | undefined;
  readonly bytes?: number | undefined;
}

/** How often the cause of a flood of failures is logged, in milliseconds. */
const CAUSE_EVERY = 1000;

/**
 * Writes one line per request. The line of a 4xx has its reason; the line of a 5xx has its cause, which the client does not
 * see. While a store is down, every request fails with the same cause: it is logged once a second, with the number of
 * causes suppressed since (`untold`).
 */
export const createRequestLog = (log: Omit<Log, 'warn'>) => {
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

  /** Describes a failure: the error that was thrown, or else the error body that a handler replied with. */
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

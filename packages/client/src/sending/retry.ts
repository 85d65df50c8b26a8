/** Which requests are sent again, and when. */
import type { Attempt, CallOptions } from '../request.ts';

/** Options of `retries`. A request is retried after a network error and after 429, 502, 503 and 504. */
export interface RetryOptions {
  /** How often a request is sent again at most. 2 if left out. */
  readonly limit?: number;
  /** The milliseconds before the second try; each further wait is twice as long. 300 if left out. */
  readonly delay?: number;
  /** The longest wait. If `Retry-After` asks for more, nothing is sent again. 30,000 if left out. */
  readonly longest?: number;
  /** The operation is safe to repeat, although neither its method nor an `Idempotency-Key` makes it so. */
  readonly isSafe?: boolean;
}

/** RFC 9110, section 9.2.2; and QUERY, which is safe. */
const IDEMPOTENT = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE|QUERY)$/;

/** The milliseconds that `Retry-After` asks for: seconds or a date (RFC 9110, section 10.2.3). */
const retryAfter = ({ headers }: Response): number => {
  const value = headers.get('retry-after') ?? '';
  return /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
};

/** Twice as long each time, and never the same for two clients, which must not come back together. */
export const backOff = (delay: number, longest: number, retries: number): number =>
  Math.min(delay * 2 ** retries, longest) * (0.5 + Math.random() / 2);

/** Waits, or rejects once the signal is aborted. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });

/** Whether a retry might succeed. Every network error is a TypeError (Fetch, section 5.6). */
const isPassing = ({ response, error }: Attempt): boolean =>
  response ? [429, 502, 503, 504].includes(response.status) : Object(error).name === 'TypeError';

/** A body that is a stream has been read once it was sent. */
const canRepeat = ({ operation, headers, body }: Attempt, isSafe: boolean): boolean =>
  (isSafe || IDEMPOTENT.test(operation.method) || headers.has('idempotency-key')) &&
  !(body instanceof ReadableStream);

/**
 * Creates a `retry` option that resends failed requests which are safe to repeat.
 *
 * @example
 * const client = createClient({ url: 'https://things.example', retry: retries({ limit: 3 }) });
 */
export const retries =
  ({
    limit = 2,
    delay = 300,
    longest = 30_000,
    isSafe = false,
  }: RetryOptions = {}): NonNullable<CallOptions['retry']> =>
  async (attempt) => {
    const { retries: made, response, signal } = attempt;
    if (made >= limit || signal?.aborted || !isPassing(attempt) || !canRepeat(attempt, isSafe)) return false;
    const asked = response ? retryAfter(response) : Number.NaN;
    if (asked > longest) return false;
    await response?.body?.cancel();
    await sleep(Number.isNaN(asked) ? backOff(delay, longest, made) : Math.max(asked, 0), signal);
    return true;
  };

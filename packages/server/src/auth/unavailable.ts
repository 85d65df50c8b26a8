import { Problem } from '@trellis/contract';

/** The logger of the authenticators. */
export type Log = Record<'info' | 'warn', (details: object, message: string) => void>;

/** The codes of authentication's own errors: status × 100 + n. */
export const AUTH_PROBLEMS = { keysUnavailable: 50303 } as const;

/** The 503 for a token that cannot be verified now. It may be valid, so the reply is not 401. */
export const unavailable = (message: string, cause?: unknown): Problem =>
  new Problem(AUTH_PROBLEMS.keysUnavailable, message, {
    headers: { 'Retry-After': '1' },
    cause,
  });

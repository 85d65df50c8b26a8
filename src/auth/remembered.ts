import { hash } from 'node:crypto';
import type { Principal } from '../contract/security.ts';

interface Remembered {
  readonly principal: Principal;
  /** A moment of the clock, which may be set. */
  readonly until: number;
  /** When it was remembered, on a clock that nobody sets. */
  readonly since: number;
}

/**
 * Whose a token was when it was last verified, for a minute at most: a signature costs more to verify than the whole
 * rest of a request. Bounded in number; the oldest goes first. Tokens themselves are not kept, only their hashes.
 */
export const createRemembered = ({ maxAge = 60_000, maxEntries = 1000 } = {}) => {
  const remembered = new Map<string, Remembered>();
  const keyOf = (token: string) => hash('sha256', token, 'base64');
  return {
    recall(token: string): Principal | undefined {
      const known = remembered.get(keyOf(token));
      if (!known || Date.now() >= known.until || performance.now() - known.since >= maxAge) return undefined;
      return known.principal;
    },
    /** Remembers until a moment of the clock, in milliseconds, and never for longer than `maxAge`. */
    remember(token: string, principal: Principal, until: number): void {
      const key = keyOf(token);
      remembered.delete(key); // a key that is set again would keep its old place in the order
      remembered.set(key, { principal, until, since: performance.now() });
      const [oldest] = remembered.keys();
      if (remembered.size > maxEntries && oldest !== undefined) remembered.delete(oldest);
    },
  };
};

import { hash } from 'node:crypto';
import type { Principal } from '@trellis/contract';

interface CachedToken {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Caches the owners of verified tokens for a minute at most, because verifying a signature costs more than the whole
 * rest of a request. The number of entries is limited, and the oldest goes first. Only hashes of tokens are kept.
 */
export const createTokenCache = ({ maxAge = 60_000, maxEntries = 1000 } = {}) => {
  const entries = new Map<string, CachedToken>();
  const keyOf = (token: string) => hash('sha256', token, 'base64');
  return {
    get(token: string): Principal | undefined {
      const cached = entries.get(keyOf(token));
      return cached && Date.now() < cached.until ? cached.principal : undefined;
    },
    /** Caches a token until a time in milliseconds since the epoch, and never for longer than `maxAge`. */
    set(token: string, principal: Principal, until: number): void {
      const key = keyOf(token);
      entries.delete(key); // otherwise the key would keep its old place in the order
      entries.set(key, { principal, until: Math.min(until, Date.now() + maxAge) });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
};

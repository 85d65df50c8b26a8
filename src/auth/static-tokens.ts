import { hash, randomBytes } from 'node:crypto';
import type { BearerAuthenticator, Principal } from '../contract/security.ts';
import { sha256Of, type TokenEntry } from './token-entries.ts';

/**
 * Knows a fixed set of tokens. They are compared as salted digests: how far a guess agrees with a token, or its hash
 * with that of the token, says nothing about how far their digests do, so the time of a look-up tells nothing either.
 */
export const createStaticTokens = (entries: readonly TokenEntry[]): BearerAuthenticator => {
  const salt = randomBytes(32).toString('base64');
  const digest = (sha256: string) => hash('sha256', salt + sha256, 'base64');
  const principals = new Map<string, Principal>(
    entries.map((entry) => [digest(sha256Of(entry)), { name: entry.name }]),
  );
  // A token that was right once is known again by itself: two digests cost more than all the rest of the look-up. There
  // are never more of them than entries, and a guess is compared with one only if V8's own seeded hash is the same.
  const known = new Map<string, Principal>();
  const learn = (token: string): Principal | undefined => {
    const principal = principals.get(digest(hash('sha256', token)));
    if (principal) known.set(token, principal);
    return principal;
  };
  return { type: 'bearer', authenticate: (token) => known.get(token) ?? learn(token) };
};

import { hash, randomBytes } from 'node:crypto';
import type { BearerAuthenticator, Principal } from '../contract/security.ts';
import { sha256Of, type TokenEntry } from './token-entries.ts';

/**
 * A set of tokens that changes. They are compared as salted digests: how far a guess agrees with a token, or its hash
 * with that of the token, says nothing about how far their digests do, so the time of a look-up tells nothing either.
 */
export const createTokenSet = () => {
  const salt = randomBytes(32).toString('base64');
  const digestOfHash = (sha256: string) => hash('sha256', salt + sha256, 'base64');
  const principals = new Map<string, Principal>();
  // A token that was right once is known again by itself: two digests cost more than all the rest of the look-up. There
  // are never more of them than entries, and a guess is compared with one only if V8's own seeded hash is the same.
  const known = new Map<string, Principal>();
  const learn = (token: string): Principal | undefined => {
    const principal = principals.get(digestOfHash(hash('sha256', token)));
    if (principal) known.set(token, principal);
    return principal;
  };
  return {
    /** What stands for the token of an entry here. */
    digestOf: (entry: TokenEntry): string => digestOfHash(sha256Of(entry)),
    /** Whose a token is. */
    find: (token: string): Principal | undefined => known.get(token) ?? learn(token),
    /** The name that goes with a digest. */
    nameOf: (digest: string): string | undefined => principals.get(digest)?.name,
    digests: (): Iterable<string> => principals.keys(),
    add(digest: string, name: string): void {
      principals.set(digest, { name });
      known.clear();
    },
    remove(digest: string): void {
      principals.delete(digest);
      known.clear();
    },
    get size(): number {
      return principals.size;
    },
  };
};

/** Tokens that come and go. */
export type TokenSet = ReturnType<typeof createTokenSet>;

/** Knows a fixed set of tokens. */
export const createStaticTokens = (entries: readonly TokenEntry[]): BearerAuthenticator => {
  const tokens = createTokenSet();
  for (const entry of entries) tokens.add(tokens.digestOf(entry), entry.name);
  return { type: 'bearer', authenticate: tokens.find };
};

import { hash, randomBytes } from 'node:crypto';
import type { Principal } from '../../contract/security.ts';
import { sha256Of, type TokenEntry } from './entries.ts';

/**
 * Creates a set of tokens that can change. Tokens are compared as salted digests, so that the time of a lookup reveals
 * nothing about a token: a guess that is nearly right has an entirely different digest.
 */
export const createTokenSet = () => {
  const salt = randomBytes(32).toString('base64');
  const digestOfHash = (sha256: string) => hash('sha256', salt + sha256, 'base64');
  const principals = new Map<string, Principal>();
  // Valid tokens that were looked up before, since two digests cost more than the rest of a lookup. There are never more
  // of them than entries, and V8 compares a guess with one only if its own seeded hash is the same.
  const known = new Map<string, Principal>();
  const lookUp = (token: string): Principal | undefined => {
    const principal = principals.get(digestOfHash(hash('sha256', token)));
    if (principal) known.set(token, principal);
    return principal;
  };
  return {
    /** The digest of an entry's token in this set. */
    digestOf: (entry: TokenEntry): string => digestOfHash(sha256Of(entry)),
    /** The owner of a token. */
    find: (token: string): Principal | undefined => known.get(token) ?? lookUp(token),
    /** The owner of a digest's token. */
    ownerOf: (digest: string): Principal | undefined => principals.get(digest),
    digests: (): Iterable<string> => principals.keys(),
    add(digest: string, owner: Principal): void {
      principals.set(digest, owner);
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

/** A set of tokens that can change. */
export type TokenSet = ReturnType<typeof createTokenSet>;

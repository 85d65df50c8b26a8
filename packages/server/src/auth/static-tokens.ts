import { hash } from 'node:crypto';
import type { Principal } from '@trellis/contract';
import type { BearerAuthenticator } from '@trellis/contract/internal';
import { sha256Of, type TokenEntry } from './entries.ts';

/**
 * Creates a function that finds the owner of a token. Tokens are compared by their hashes, so that the time of a lookup
 * reveals nothing about a token: a guess that is nearly right has an entirely different hash.
 */
export const createTokenLookup = (entries: Iterable<TokenEntry>) => {
  const principals = new Map<string, Principal>();
  for (const entry of entries)
    principals.set(sha256Of(entry), { name: entry.name, scopes: entry.scopes ?? [] });
  // Valid tokens that were looked up before, since a hash costs more than the rest of a lookup. There are never more of
  // them than entries, and V8 compares a guess with one only if its own seeded hash is the same.
  const known = new Map<string, Principal>();
  const lookUp = (token: string): Principal | undefined => {
    const principal = principals.get(hash('sha256', token));
    if (principal) known.set(token, principal);
    return principal;
  };
  return (token: string): Principal | undefined => known.get(token) ?? lookUp(token);
};

/**
 * Creates an authenticator for a fixed set of tokens.
 *
 * @example
 * const tokens = createStaticTokens([{ name: 'alice', token: 's3cret' }]);
 */
export const createStaticTokens = (entries: readonly TokenEntry[]): BearerAuthenticator => {
  const find = createTokenLookup(entries);
  return {
    type: 'bearer',
    authenticate(token, explain) {
      const principal = find(token);
      if (!principal) explain?.('the token is not known');
      return principal;
    },
  };
};

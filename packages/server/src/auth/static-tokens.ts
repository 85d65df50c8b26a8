import type { BearerAuthenticator } from '../contract/security.ts';
import type { TokenEntry } from './tokens/entries.ts';
import { createTokenSet } from './tokens/token-set.ts';

/** Creates an authenticator for a fixed set of tokens. */
export const createStaticTokens = (entries: readonly TokenEntry[]): BearerAuthenticator => {
  const tokens = createTokenSet();
  for (const entry of entries)
    tokens.add(tokens.digestOf(entry), { name: entry.name, scopes: entry.scopes ?? [] });
  return {
    type: 'bearer',
    authenticate(token, explain) {
      const principal = tokens.find(token);
      if (!principal) explain?.('the token is not known');
      return principal;
    },
  };
};

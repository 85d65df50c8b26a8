import { hash, randomBytes } from 'node:crypto';
import type { BearerAuthenticator, Principal } from '../contract/security.ts';

/** A token and whose it is. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/**
 * Knows a fixed set of tokens. They are compared as salted digests: how far a guess agrees with a token says
 * nothing about how far their digests do, so the time of a look-up tells nothing either.
 */
export const createStaticTokens = (tokens: readonly NamedToken[]): BearerAuthenticator => {
  const salt = randomBytes(32).toString('base64');
  const digest = (token: string) => hash('sha256', salt + token, 'base64');
  const principals = new Map<string, Principal>(tokens.map(({ name, token }) => [digest(token), { name }]));
  return { type: 'bearer', authenticate: (token) => principals.get(digest(token)) };
};

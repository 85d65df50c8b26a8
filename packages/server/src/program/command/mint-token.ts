import { hash, randomBytes } from 'node:crypto';

/** A token for a client, and the entry that lets the service recognise it. */
export interface MintedToken {
  readonly token: string;
  /** For ACCESS_TOKENS. It holds the digest of the token, which is useless to anybody who reads it. */
  readonly entry: string;
}

/** A name that can stand before the colon of an entry in a comma-separated list. */
const NAME = /^[^\s,:]+$/;

/** Makes a token of 256 random bits. Nobody can guess that many, so a plain SHA-256 protects it. */
export const mintToken = (program: string, name?: string): MintedToken => {
  if (name !== undefined && !NAME.test(name))
    throw new Error(`a name is one word without commas and colons, as in \`${program} token alice\``);
  const token = randomBytes(32).toString('base64url');
  const digest = hash('sha256', token, 'hex');
  return { token, entry: `${name ?? `token-${digest.slice(0, 8)}`}:sha256:${digest}` };
};

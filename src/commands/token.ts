import { hash, randomBytes } from 'node:crypto';

/** A token for a client, and the entry by which the service knows it. */
export interface MintedToken {
  readonly token: string;
  /** For ACCESS_TOKENS: a digest is enough to know a token, and nothing to whoever reads it. */
  readonly entry: string;
}

/** What can stand before the colon of an entry, in a list with commas. */
const NAME = /^[^\s,:]+$/;

/** Makes a token of 256 random bits: nobody guesses it, so its plain SHA-256 gives nothing away. */
export const mintToken = (name?: string): MintedToken => {
  if (name !== undefined && !NAME.test(name))
    throw new Error('a name is one word without commas and colons, as in `plant-store token alice`');
  const token = randomBytes(32).toString('base64url');
  const digest = hash('sha256', token, 'hex');
  return { token, entry: `${name ?? `token-${digest.slice(0, 8)}`}:sha256:${digest}` };
};

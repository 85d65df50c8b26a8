import { createEntryList, type TokenEntry } from './entries.ts';
import type { JwtSettings } from './jwt.ts';
import { isFetchable } from './key-fetch.ts';
import type { AuthSettings } from './open.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const parseTokens = (text: string): readonly TokenEntry[] => {
  const { add, entries, faults } = createEntryList();
  for (const [index, entry] of text.split(',').entries()) add(entry, index + 1);
  const [fault] = faults;
  if (fault) throw new Error(`ACCESS_TOKENS: entry ${fault.position} ${fault.reason}`);
  return [...entries.values()];
};

/** The message does not repeat the URL, since it may hold a password. */
const parseJwksUrl = (text: string): URL => {
  if (isFetchable(text)) return new URL(text);
  throw new Error('JWT_JWKS_URL must be an https:// or http:// URL, without a user or a password');
};

/** An issuer whose metadata is looked up must be a URL (OpenID Connect Discovery 1.0, section 3). */
const checkDiscoverable = (issuer: string): void => {
  if (!isFetchable(issuer) || /[?#]/.test(issuer))
    throw new Error(
      'JWT_ISSUER must be an https:// or http:// URL, without a user or a query, for its keys to be found; or set JWT_JWKS_URL',
    );
};

/** Without an audience, tokens that were issued for another service would be accepted. */
const readJwt = (environment: Environment): JwtSettings | undefined => {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl } = environment;
  if (!issuer && !audience && !jwksUrl) return undefined;
  if (!issuer || !audience) {
    const missing = ['JWT_ISSUER', 'JWT_AUDIENCE'].filter((name) => !environment[name]);
    throw new Error(`${missing.join(' and ')} must be set too: JWTs take an issuer and an audience`);
  }
  if (jwksUrl) return { issuer, audience, jwksUrl: parseJwksUrl(jwksUrl) };
  checkDiscoverable(issuer);
  return { issuer, audience, jwksUrl: undefined };
};

/** Whether no credentials are configured: neither tokens nor JWTs. */
export const hasNoCredentials = ({ accessTokens, accessTokensFile, jwt }: AuthSettings): boolean =>
  accessTokens.length === 0 && accessTokensFile === undefined && jwt === undefined;

/**
 * Reads which credentials are accepted. A bad value throws an error that names it.
 *
 * @example
 * const settings = readAuthSettings(process.env);
 */
export const readAuthSettings = (environment: Environment): AuthSettings => ({
  accessTokens: environment.ACCESS_TOKENS ? parseTokens(environment.ACCESS_TOKENS) : [],
  accessTokensFile: environment.ACCESS_TOKENS_FILE || undefined,
  jwt: readJwt(environment),
});

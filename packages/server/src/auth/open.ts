import type { BearerAuthenticator } from '@trellis/contract/internal';
import { andThen } from '@trellis/contract/internal/handlers';
import type { TokenEntry } from './entries.ts';
import type { JwtSettings } from './jwt.ts';
import { createDiscovery, metadataUrlOf } from './key-fetch.ts';
import { createStaticTokens } from './static-tokens.ts';
import { openTokenFile, type TokenFileOptions } from './token-file.ts';
import type { Log } from './unavailable.ts';

/** The credentials that are accepted. */
export interface AuthSettings {
  readonly accessTokens: readonly TokenEntry[];
  readonly accessTokensFile: string | undefined;
  readonly jwt: JwtSettings | undefined;
}

/** An authenticator that follows a file or a key server until it is closed. */
export interface LiveAuthenticator extends BearerAuthenticator {
  readonly close: () => void;
}

/** jose is loaded only if JWTs are configured. */
const openJwt = async (settings: JwtSettings, log: Log): Promise<LiveAuthenticator> => {
  const [{ createJwtAuthenticator }, { createKeySet }] = await Promise.all([
    import('./jwt.ts'),
    import('./key-set.ts'),
  ]);
  const { issuer, jwksUrl } = settings;
  const keys = jwksUrl
    ? createKeySet(jwksUrl, log)
    : createKeySet(metadataUrlOf(issuer), log, {}, createDiscovery(issuer));
  return { ...createJwtAuthenticator(settings, keys.find), close: keys.close };
};

/**
 * Opens the authenticator that the settings describe. Static tokens are tried first, because they cost least. While the
 * token file cannot be read, other credentials are still accepted, and no token is called invalid.
 *
 * @example
 * const tokens = await openAuthenticator(readAuthSettings(process.env), log);
 */
export const openAuthenticator = async (
  settings: AuthSettings,
  log: Log,
  options: TokenFileOptions = { isTolerant: false },
): Promise<LiveAuthenticator> => {
  const { accessTokens, accessTokensFile, jwt } = settings;
  const file =
    accessTokensFile === undefined ? undefined : await openTokenFile(accessTokensFile, log, options);
  const staticTokens = createStaticTokens(accessTokens);
  const jwts = jwt && (await openJwt(jwt, log));
  if (!file && !jwts) return { ...staticTokens, close() {} };

  return {
    type: 'bearer',
    authenticate(token, explain) {
      const known = staticTokens.authenticate(token) ?? file?.find(token);
      return andThen(known ?? (jwts ?? staticTokens).authenticate(token, explain), (principal) => {
        const problem = principal ? undefined : file?.problem(); // the file, unreadable now, may contain the token
        if (problem) throw problem;
        return principal;
      });
    },
    close() {
      file?.close();
      jwts?.close();
    },
  };
};

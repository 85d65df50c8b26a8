import { andThen } from '../contract/at-once.ts';
import type { BearerAuthenticator } from '../contract/security.ts';
import type { JwtSettings } from './jwt.ts';
import type { Log } from './log.ts';
import { createStaticTokens } from './static-tokens.ts';
import type { TokenEntry } from './token-entries.ts';
import { type LiveAuthenticator, openTokenFile } from './token-file.ts';

/** Who is let in. */
export interface AuthSettings {
  readonly accessTokens: readonly TokenEntry[];
  readonly accessTokensFile: string | undefined;
  readonly jwt: JwtSettings | undefined;
}

/** jose is loaded when it is asked for, as the stores' drivers are. */
const openJwt = async (settings: JwtSettings, log: Log): Promise<BearerAuthenticator> => {
  const [{ createJwtAuthenticator }, { createKeySet }] = await Promise.all([
    import('./jwt.ts'),
    import('./key-set.ts'),
  ]);
  return createJwtAuthenticator(settings, createKeySet(settings.jwksUrl, log));
};

/** Knows everybody whom the settings let in: static tokens are asked first, since they cost least. */
export const openAuthenticator = async (settings: AuthSettings, log: Log): Promise<LiveAuthenticator> => {
  const { accessTokens, accessTokensFile, jwt } = settings;
  const file = accessTokensFile === undefined ? undefined : await openTokenFile(accessTokensFile, log);
  const fixed = createStaticTokens(accessTokens);
  const signed = jwt && (await openJwt(jwt, log));
  return {
    type: 'bearer',
    authenticate: (token) =>
      andThen(
        fixed.authenticate(token) ?? file?.authenticate(token),
        (principal) => principal ?? signed?.authenticate(token),
      ),
    close: () => file?.close(),
  };
};

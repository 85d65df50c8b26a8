import { andThen } from '../contract/at-once.ts';
import type { Problem } from '../contract/problems/problem.ts';
import type { BearerAuthenticator, Verdict } from '../contract/security.ts';
import type { JwtSettings } from './jwt.ts';
import type { Log } from './log.ts';
import { createStaticTokens } from './static-tokens.ts';
import type { TokenEntry } from './token-entries.ts';
import { openTokenFile } from './token-file.ts';

/** Who is let in. */
export interface AuthSettings {
  readonly accessTokens: readonly TokenEntry[];
  readonly accessTokensFile: string | undefined;
  readonly jwt: JwtSettings | undefined;
}

/** An authenticator that follows something outside, until it is closed. */
export interface LiveAuthenticator extends BearerAuthenticator {
  readonly close: () => void;
}

/** jose is loaded when it is asked for, as the stores' drivers are. */
const openJwt = async (settings: JwtSettings, log: Log): Promise<BearerAuthenticator> => {
  const [{ createJwtAuthenticator }, { createKeySet }] = await Promise.all([
    import('./jwt.ts'),
    import('./key-set.ts'),
  ]);
  return createJwtAuthenticator(settings, createKeySet(settings.jwksUrl, log));
};

/**
 * Knows everybody whom the settings let in: static tokens are asked first, since they cost least. While the token file
 * is out of sight, whoever is known without it is let in, and nobody else's token is called invalid.
 */
export const openAuthenticator = async (settings: AuthSettings, log: Log): Promise<LiveAuthenticator> => {
  const { accessTokens, accessTokensFile, jwt } = settings;
  const file = accessTokensFile === undefined ? undefined : await openTokenFile(accessTokensFile, log);
  const fixed = createStaticTokens(accessTokens);
  const signed = jwt && (await openJwt(jwt, log));

  const authenticateWithoutFile = (token: string, outage: Problem): Verdict =>
    andThen(fixed.authenticate(token) ?? signed?.authenticate(token), (principal) => {
      if (principal) return principal;
      throw outage;
    });

  return {
    type: 'bearer',
    authenticate(token) {
      const outage = file?.outage();
      if (outage) return authenticateWithoutFile(token, outage);
      return andThen(
        fixed.authenticate(token) ?? file?.find(token),
        (principal) => principal ?? signed?.authenticate(token),
      );
    },
    close: () => file?.close(),
  };
};

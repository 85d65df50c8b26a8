import type { ApiKeyAuthenticator, Authenticator, Authenticators } from '@trellis/contract';
import type { BasicAuthenticator, BearerAuthenticator } from '@trellis/contract/internal';
import { andThen } from '@trellis/contract/internal/handlers';
import { schemeAt } from '@trellis/openapi/internal/document';
import { pointerTo, valueAt } from '@trellis/openapi/internal/json';

/** Basic credentials are the name of a token and the token: `ACCESS_TOKENS=alice:s3cret` is `curl -u alice:s3cret`. */
const basicFrom = ({ authenticate }: BearerAuthenticator): BasicAuthenticator => ({
  type: 'basic',
  authenticate: (name, password, explain) =>
    andThen(authenticate(password, explain), (principal) => {
      if (!principal || principal.name === name) return principal;
      explain?.('the name does not match the token');
      return undefined;
    }),
});

/** An API key is a token. */
const apiKeyFrom = ({ authenticate }: BearerAuthenticator): ApiKeyAuthenticator => ({
  type: 'apiKey',
  authenticate,
});

/**
 * Gives each security scheme of the contract an authenticator over the same tokens, whatever the name of the scheme,
 * unless `own` has one for it. A scheme of an unsupported kind gets no authenticator: its requests are refused.
 */
export const createAuthenticators = (
  document: unknown,
  tokens: BearerAuthenticator | undefined,
  own: Authenticators = {},
): Authenticators => {
  const names = Object.keys(valueAt(document, pointerTo('components', 'securitySchemes')) ?? {});
  const unknown = Object.keys(own).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `authenticators: openapi.yaml has no security scheme ${unknown}, only ${names.join(', ')}`,
    );
  if (!tokens) return own;
  const byKind = { bearer: tokens, basic: basicFrom(tokens), apiKey: apiKeyFrom(tokens) };
  const byName = Object.fromEntries(
    names.flatMap((name): [string, Authenticator][] => {
      const kind = schemeAt(document, name)?.kind;
      return kind ? [[name, byKind[kind]]] : [];
    }),
  );
  return { ...byName, ...own };
};

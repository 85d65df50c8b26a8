import { andThen } from '../contract/authentication.ts';
import { followRefs, ownMember, pointerTo, valueAt } from '../contract/json/pointer.ts';
import type {
  ApiKeyAuthenticator,
  Authenticator,
  Authenticators,
  BasicAuthenticator,
  BearerAuthenticator,
} from '../contract/security.ts';

/** How clients send their credentials by a security scheme of the contract. */
export const schemeAt = (document: unknown, name: string) => {
  const declared = valueAt(document, followRefs(document, pointerTo('components', 'securitySchemes', name)));
  const read = (member: string) => String(ownMember(declared, member) ?? '');
  const type = read('type') === 'http' ? read('scheme').toLowerCase() : read('type');
  return { type, place: read('in'), parameter: read('name') };
};

/** Basic credentials are the name of a token and the token: `ACCESS_TOKENS=alice:s3cret` is `curl -u alice:s3cret`. */
const basicFrom = ({ authenticate }: BearerAuthenticator): BasicAuthenticator => ({
  type: 'basic',
  authenticate: (name, password) =>
    andThen(authenticate(password), (principal) => (principal?.name === name ? principal : undefined)),
});

/** An API key is a token. */
const apiKeyFrom = ({ authenticate }: BearerAuthenticator): ApiKeyAuthenticator => ({
  type: 'apiKey',
  authenticate,
});

/**
 * Gives each security scheme of the contract an authenticator over the same tokens. A scheme of another type gets none:
 * the contract then names it and refuses to start.
 */
export const createAuthenticators = (document: unknown, tokens: BearerAuthenticator): Authenticators => {
  const byType: Readonly<Record<string, Authenticator>> = {
    bearer: tokens,
    oauth2: tokens,
    openIdConnect: tokens,
    basic: basicFrom(tokens),
    apiKey: apiKeyFrom(tokens),
  };
  const names = Object.keys(valueAt(document, pointerTo('components', 'securitySchemes')) ?? {});
  return Object.fromEntries(
    names.flatMap((name) => {
      const { type } = schemeAt(document, name);
      const authenticator = Object.hasOwn(byType, type) ? byType[type] : undefined;
      return authenticator ? [[name, authenticator]] : [];
    }),
  );
};

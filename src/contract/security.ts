import type { IncomingHttpHeaders } from 'node:http';
import { isTree, ownMember, valueAt } from './pointer.ts';
import { Problem } from './problem.ts';

/** Whoever sent a request: the name of their token. */
export interface Principal {
  readonly name: string;
}

/**
 * Tells whose token this is; `undefined` if nobody's. An outage is thrown, never answered with `undefined`: a
 * valid token must not look invalid because a key server is away.
 */
export type AuthenticateBearer = (token: string) => Principal | undefined | Promise<Principal | undefined>;

/** An authenticator for each security scheme of the document, by its name there. */
export type Authenticators = Readonly<Record<string, AuthenticateBearer>>;

type Requirement = Readonly<Record<string, readonly string[]>>;

/** RFC 9110, section 11.1: the scheme's name is case-insensitive. RFC 6750, section 2.1: the token's alphabet. */
const BEARER = /^bearer(?: +(.*))?$/i;
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const challenge = (parameters = '') => ({ headers: { 'WWW-Authenticate': `Bearer${parameters}` } });

/** Reads the bearer token, or throws the 401 that asks for one (RFC 6750, section 3.1). */
const bearerToken = ({ authorization = '' }: IncomingHttpHeaders): string => {
  const [matched, token = ''] = BEARER.exec(authorization.trim()) ?? [];
  if (matched === undefined)
    throw new Problem(
      'noCredentials',
      'send a bearer token: Authorization: Bearer <ACCESS_TOKEN>',
      challenge(),
    );
  return token;
};

/** Compiles what the document asks of a caller. A scheme that nothing here can check stops the start. */
export const createSecurity = (document: unknown, authenticators: Authenticators) => {
  const authenticatorFor = (requirement: Requirement): AuthenticateBearer => {
    const [name = '', ...others] = Object.keys(requirement);
    const scheme = valueAt(document, `/components/securitySchemes/${name}`);
    const isBearer =
      ownMember(scheme, 'type') === 'http' && /^bearer$/i.test(String(ownMember(scheme, 'scheme')));
    if (!isTree(scheme) || !isBearer || others.length > 0)
      throw new Error(
        `openapi.yaml: security ${JSON.stringify(requirement)} is not served; use one http bearer scheme`,
      );
    const authenticate = Object.hasOwn(authenticators, name) ? authenticators[name] : undefined;
    if (!authenticate) throw new Error(`openapi.yaml: security scheme ${name} has no authenticator`);
    return authenticate;
  };

  return (requirements: readonly Requirement[]) => {
    if (requirements.length === 0) return async () => undefined;
    const alternatives = requirements.map(authenticatorFor);
    return async (headers: IncomingHttpHeaders): Promise<Principal> => {
      const token = bearerToken(headers);
      if (TOKEN.test(token))
        for (const authenticate of alternatives) {
          const principal = await authenticate(token);
          if (principal) return principal;
        }
      throw new Problem('invalidToken', 'the bearer token is not valid', challenge(' error="invalid_token"'));
    };
  };
};

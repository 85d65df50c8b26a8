import type { IncomingHttpHeaders } from 'node:http';
import { andThen } from './at-once.ts';
import { followRefs, ownMember, pointerTo, valueAt } from './json/pointer.ts';
import { type RequestHead, sentIn } from './parameters/parameters.ts';
import { Problem } from './problems/problem.ts';

/** Whoever sent a request: the name of their token. */
export interface Principal {
  readonly name: string;
}

/**
 * Whose credentials these are; `undefined` if nobody's. An outage is thrown, never answered with `undefined`: valid
 * credentials must not look invalid because a key server is away.
 */
export type Verdict = Principal | undefined | Promise<Principal | undefined>;

/** Knows the tokens of an http bearer scheme. */
export interface BearerAuthenticator {
  readonly type: 'bearer';
  readonly authenticate: (token: string) => Verdict;
}

/** Knows the names and passwords of an http basic scheme. */
export interface BasicAuthenticator {
  readonly type: 'basic';
  readonly authenticate: (name: string, password: string) => Verdict;
}

/** Knows the keys of an apiKey scheme, wherever they are sent. */
export interface ApiKeyAuthenticator {
  readonly type: 'apiKey';
  readonly authenticate: (key: string) => Verdict;
}

/** An authenticator for a security scheme. */
export type Authenticator = BearerAuthenticator | BasicAuthenticator | ApiKeyAuthenticator;

/** An authenticator for each security scheme of the document, by its name there. */
export type Authenticators = Readonly<Record<string, Authenticator>>;

type Requirement = Readonly<Record<string, readonly string[]>>;

/** What a request says of one scheme: nothing, something that can be nobody's, or somebody. */
type Finding = 'absent' | 'invalid' | Principal;

interface Scheme {
  /** How a client is asked for it, in `WWW-Authenticate`; an apiKey has no such word. */
  readonly challenge: string | undefined;
  readonly examine: (head: RequestHead) => Finding | Promise<Finding>;
}

/** RFC 6750, section 2.1: what a token is made of. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** RFC 9110, section 11.4: the scheme's name is case-insensitive. */
const credentialsOf = ({ authorization = '' }: IncomingHttpHeaders, scheme: string): string | undefined => {
  const space = authorization.indexOf(' ');
  const name = space < 0 ? authorization : authorization.slice(0, space);
  return name.toLowerCase() === scheme ? authorization.slice(name.length).trim() : undefined;
};

const findingOf = (verdict: Verdict): Finding | Promise<Finding> =>
  andThen(verdict, (principal) => principal ?? 'invalid');

const bearerScheme = ({ authenticate }: BearerAuthenticator): Scheme => ({
  challenge: 'Bearer',
  examine({ headers }) {
    const token = credentialsOf(headers, 'bearer');
    if (token === undefined) return 'absent';
    return TOKEN.test(token) ? findingOf(authenticate(token)) : 'invalid';
  },
});

/** RFC 7617, section 2: a name without a colon, a password with whatever it likes. */
const basicScheme = ({ authenticate }: BasicAuthenticator): Scheme => ({
  challenge: 'Basic realm="api", charset="UTF-8"',
  examine({ headers }) {
    const encoded = credentialsOf(headers, 'basic');
    if (encoded === undefined) return 'absent';
    const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    if (name === undefined || password === undefined) return 'invalid';
    return findingOf(authenticate(name, password));
  },
});

const apiKeyScheme = (
  { authenticate }: ApiKeyAuthenticator,
  place: 'query' | 'header' | 'cookie',
  name: string,
): Scheme => ({
  challenge: undefined,
  examine(head) {
    const key = sentIn(place, head, name);
    if (key === undefined) return 'absent';
    return findingOf(authenticate(key));
  },
});

const isKeyPlace = (place: unknown): place is 'query' | 'header' | 'cookie' =>
  place === 'query' || place === 'header' || place === 'cookie';

/** Tokens of OAuth 2.0 and OpenID Connect are sent as bearer tokens (RFC 6750). */
const typeOf = (type: unknown, scheme: unknown): unknown => {
  if (type === 'oauth2' || type === 'openIdConnect') return 'bearer';
  return type === 'http' ? String(scheme).toLowerCase() : type;
};

/** Compiles what the document asks of a caller. A scheme, or a scope, that nothing here can check stops the start. */
export const createSecurity = (document: unknown, authenticators: Authenticators) => {
  const compileScheme = (name: string): Scheme => {
    const declared = valueAt(
      document,
      followRefs(document, pointerTo('components', 'securitySchemes', name)),
    );
    const read = (member: string) => ownMember(declared, member);
    const type = typeOf(read('type'), read('scheme'));
    const authenticator = Object.hasOwn(authenticators, name) ? authenticators[name] : undefined;
    if (type !== 'bearer' && type !== 'basic' && type !== 'apiKey')
      throw new Error(
        `openapi.yaml: security scheme ${name} is not served; use http bearer, http basic or apiKey`,
      );
    if (authenticator?.type !== type)
      throw new Error(`openapi.yaml: security scheme ${name} has no ${type} authenticator`);
    if (authenticator.type === 'bearer') return bearerScheme(authenticator);
    if (authenticator.type === 'basic') return basicScheme(authenticator);
    const place = read('in');
    if (!isKeyPlace(place))
      throw new Error(`openapi.yaml: security scheme ${name} must be in query, header or cookie`);
    return apiKeyScheme(authenticator, place, String(read('name')));
  };

  /** Nobody here knows what a principal may do: to let scopes be would let everybody in who is known at all. */
  const refuseScopes = (name: string, scopes: readonly string[]): void => {
    if (scopes.length > 0)
      throw new Error(
        `openapi.yaml: security scheme ${name} is asked for ${scopes.join(', ')}, and scopes are not checked; ` +
          `write \`${name}: []\`, and let the handler decide what its principal may do`,
      );
  };

  /** All schemes of one alternative must agree; an alternative of none lets everybody in (OAS 3.1, section 4.8.30). */
  const examineAll = (
    schemes: readonly Scheme[],
    head: RequestHead,
    nth = 0,
    known?: Principal,
  ): Finding | undefined | Promise<Finding | undefined> => {
    const scheme = schemes[nth];
    if (!scheme) return known;
    return andThen(scheme.examine(head), (finding) =>
      typeof finding === 'string' ? finding : examineAll(schemes, head, nth + 1, known ?? finding),
    );
  };

  return (requirements: readonly Requirement[]) => {
    // Wherever it stands, an alternative of none goes last: who says who they are is known.
    const alternatives = requirements
      .map((requirement) =>
        Object.entries(requirement).map(([name, scopes]) => {
          const scheme = compileScheme(name);
          refuseScopes(name, scopes ?? []);
          return scheme;
        }),
      )
      .sort((one, other) => Number(one.length === 0) - Number(other.length === 0));
    const challenges = new Set(alternatives.flat().flatMap(({ challenge }) => challenge ?? []));

    const refuse = (invalid: boolean): Problem => {
      const words = [...challenges].map((challenge) =>
        invalid && challenge === 'Bearer' ? `${challenge} error="invalid_token"` : challenge,
      );
      const options = words.length === 0 ? {} : { headers: { 'WWW-Authenticate': words.join(', ') } };
      if (invalid)
        return new Problem(
          'invalidToken',
          challenges.has('Bearer') ? 'the bearer token is not valid' : 'the credentials are not valid',
          options,
        );
      return new Problem(
        'noCredentials',
        challenges.has('Bearer')
          ? 'send a bearer token: Authorization: Bearer <ACCESS_TOKEN>'
          : 'send credentials, as the contract says',
        options,
      );
    };

    const examineAny = (head: RequestHead, nth = 0, invalid = false): Verdict => {
      const schemes = alternatives[nth];
      if (!schemes) throw refuse(invalid);
      return andThen(examineAll(schemes, head), (finding) =>
        typeof finding === 'string' ? examineAny(head, nth + 1, invalid || finding === 'invalid') : finding,
      );
    };

    return (head: RequestHead): Verdict => (alternatives.length === 0 ? undefined : examineAny(head));
  };
};

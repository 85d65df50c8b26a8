import type { IncomingHttpHeaders } from 'node:http';
import { followRefs, ownMember, pointerTo, valueAt } from './json/pointer.ts';
import { type RequestHead, sentIn } from './parameters/places.ts';
import { Problem } from './problems/problem.ts';
import type {
  ApiKeyAuthenticator,
  Authenticators,
  BasicAuthenticator,
  BearerAuthenticator,
  Principal,
  Verdict,
} from './security.ts';

/**
 * Continues with a value, at once if it is not a promise. An await would cost a turn of the microtask queue even then, and
 * by the next turn Node has buffered the body of the request instead of passing it on: that costs more than all of
 * authentication.
 */
export const andThen = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** What a scheme finds in a request: no credentials, invalid ones, or those of a principal. */
type Finding = 'absent' | 'invalid' | Principal;

/** A security scheme, compiled. */
interface Scheme {
  /** What asks for it in `WWW-Authenticate`; an apiKey has no such challenge. */
  readonly challenge: string | undefined;
  readonly examine: (head: RequestHead) => Finding | Promise<Finding>;
}

/** RFC 6750, section 2.1: the syntax of a token. */
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

/** RFC 7617, section 2: the name has no colon, the password may have any. */
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

/** Compiles a security scheme of the document. Throws if it has no authenticator, or is of a type that is not served. */
const compileScheme = (document: unknown, authenticators: Authenticators, name: string): Scheme => {
  const declared = valueAt(document, followRefs(document, pointerTo('components', 'securitySchemes', name)));
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

type Requirement = Readonly<Record<string, readonly string[]>>;

/** Nothing here knows what a principal may do. To ignore scopes would let every known caller in. */
const refuseScopes = (name: string, scopes: readonly string[]): void => {
  if (scopes.length > 0)
    throw new Error(
      `openapi.yaml: security scheme ${name} is asked for ${scopes.join(', ')}, and scopes are not checked; ` +
        `write \`${name}: []\`, and let the handler decide what its principal may do`,
    );
};

/** All schemes of an alternative must accept; an alternative without schemes lets everybody in (OAS 3.1, section 4.8.30). */
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

/** The 401 for a request without valid credentials. */
const refuse = (challenges: ReadonlySet<string>, invalid: boolean): Problem => {
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

/** Compiles who may call an operation. Throws if the document requires a scheme, or a scope, that cannot be checked. */
export const createAuthentication =
  (document: unknown, authenticators: Authenticators) => (requirements: readonly Requirement[]) => {
    // The alternative without schemes goes last, wherever it stands, so that callers who send credentials are known.
    const alternatives = requirements
      .map((requirement) =>
        Object.entries(requirement).map(([name, scopes]) => {
          const scheme = compileScheme(document, authenticators, name);
          refuseScopes(name, scopes ?? []);
          return scheme;
        }),
      )
      .sort((one, other) => Number(one.length === 0) - Number(other.length === 0));
    const challenges = new Set(alternatives.flat().flatMap(({ challenge }) => challenge ?? []));

    const examineAny = (head: RequestHead, nth = 0, invalid = false): Verdict => {
      const schemes = alternatives[nth];
      if (!schemes) throw refuse(challenges, invalid);
      return andThen(examineAll(schemes, head), (finding) =>
        typeof finding === 'string' ? examineAny(head, nth + 1, invalid || finding === 'invalid') : finding,
      );
    };

    return (head: RequestHead): Verdict => (alternatives.length === 0 ? undefined : examineAny(head));
  };

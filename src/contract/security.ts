import type { IncomingHttpHeaders } from 'node:http';
import { andThen } from './at-once.ts';
import { followRefs, ownMember, pointerTo, valueAt } from './json/pointer.ts';
import { type RequestHead, sentIn } from './parameters/places.ts';

/** Who sent a request: the name of their token. */
export interface Principal {
  readonly name: string;
}

/**
 * The principal that credentials belong to; `undefined` if they are not valid. An outage is thrown, never answered with
 * `undefined`: valid credentials must not look invalid because a key server is down.
 */
export type Verdict = Principal | undefined | Promise<Principal | undefined>;

/** Checks the tokens of an http bearer scheme. */
export interface BearerAuthenticator {
  readonly type: 'bearer';
  readonly authenticate: (token: string) => Verdict;
}

/** Checks the names and passwords of an http basic scheme. */
export interface BasicAuthenticator {
  readonly type: 'basic';
  readonly authenticate: (name: string, password: string) => Verdict;
}

/** Checks the keys of an apiKey scheme, wherever they are sent. */
export interface ApiKeyAuthenticator {
  readonly type: 'apiKey';
  readonly authenticate: (key: string) => Verdict;
}

/** An authenticator for a security scheme. */
export type Authenticator = BearerAuthenticator | BasicAuthenticator | ApiKeyAuthenticator;

/** An authenticator for each security scheme of the document, by its name there. */
export type Authenticators = Readonly<Record<string, Authenticator>>;

/** What a scheme finds in a request: no credentials, invalid ones, or those of a principal. */
export type Finding = 'absent' | 'invalid' | Principal;

/** A security scheme, compiled. */
export interface Scheme {
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
export const compileScheme = (document: unknown, authenticators: Authenticators, name: string): Scheme => {
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

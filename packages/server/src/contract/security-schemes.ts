import type { IncomingHttpHeaders } from 'node:http';
import { schemeAt } from '@trellis/openapi/document';
import { type RequestHead, sentIn } from './parameters/places.ts';
import {
  type ApiKeyAuthenticator,
  type Authenticators,
  andThen,
  type BasicAuthenticator,
  type BearerAuthenticator,
  type Explain,
  type Principal,
  type Verdict,
} from './security.ts';

/** What a scheme finds in a request: no credentials, invalid ones, too few scopes, or the credentials of a principal. */
export type Finding = 'absent' | 'invalid' | 'insufficient' | Principal;

/** A security scheme, compiled. */
export interface Scheme {
  /** What asks for it in `WWW-Authenticate`; an apiKey has no such challenge. */
  readonly challenge: string | undefined;
  /** Gives its finding, and explains one that is `absent` or `invalid`. */
  readonly examine: (head: RequestHead, explain: Explain) => Finding | Promise<Finding>;
}

/** RFC 6750, section 2.1: the syntax of a token. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** RFC 9110, section 11.4: the scheme's name is case-insensitive. */
const credentialsOf = ({ authorization = '' }: IncomingHttpHeaders, scheme: string): string | undefined => {
  const space = authorization.indexOf(' ');
  const name = space < 0 ? authorization : authorization.slice(0, space);
  return name.toLowerCase() === scheme ? authorization.slice(name.length).trim() : undefined;
};

const explainAbsence = (
  { authorization }: IncomingHttpHeaders,
  scheme: string,
  explain: Explain,
): 'absent' => {
  explain(
    authorization === undefined
      ? 'there is no Authorization header'
      : `the Authorization header has another scheme than ${scheme}`,
  );
  return 'absent';
};

const findingOf = (verdict: Verdict): Finding | Promise<Finding> =>
  andThen(verdict, (principal) => principal ?? 'invalid');

const bearerScheme = ({ authenticate }: BearerAuthenticator): Scheme => ({
  challenge: 'Bearer',
  examine({ headers }, explain) {
    const token = credentialsOf(headers, 'bearer');
    if (token === undefined) return explainAbsence(headers, 'Bearer', explain);
    if (TOKEN.test(token)) return findingOf(authenticate(token, explain));
    explain('the bearer token is malformed');
    return 'invalid';
  },
});

/** RFC 7617, section 2: the name has no colon, the password may have any. */
const basicScheme = ({ authenticate }: BasicAuthenticator): Scheme => ({
  challenge: 'Basic realm="api", charset="UTF-8"',
  examine({ headers }, explain) {
    const encoded = credentialsOf(headers, 'basic');
    if (encoded === undefined) return explainAbsence(headers, 'Basic', explain);
    const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    if (name !== undefined && password !== undefined) return findingOf(authenticate(name, password, explain));
    explain('the basic credentials are malformed');
    return 'invalid';
  },
});

const apiKeyScheme = (
  { authenticate }: ApiKeyAuthenticator,
  place: 'query' | 'header' | 'cookie',
  name: string,
): Scheme => ({
  challenge: undefined,
  examine(head, explain) {
    const key = sentIn(place, head, name);
    if (key !== undefined) return findingOf(authenticate(key, explain));
    explain(`there is no ${name} in the ${place}`);
    return 'absent';
  },
});

/**
 * Compiles a security scheme of the document; gives `undefined` for one that the document does not declare, or of a type
 * that the service cannot check. Throws if it has no authenticator.
 */
export const compileScheme = (
  document: unknown,
  authenticators: Authenticators,
  name: string,
): Scheme | undefined => {
  const declared = schemeAt(document, name);
  if (declared?.kind === undefined) return undefined;
  const { kind, place, parameter } = declared;
  const authenticator = Object.hasOwn(authenticators, name) ? authenticators[name] : undefined;
  if (authenticator?.type !== kind)
    throw new Error(
      `openapi.yaml: security scheme ${name} has no ${kind} authenticator; ` +
        `write one where createContract is called: authenticators: { ${JSON.stringify(name)}: { type: '${kind}', authenticate } }`,
    );
  if (authenticator.type === 'bearer') return bearerScheme(authenticator);
  if (authenticator.type === 'basic') return basicScheme(authenticator);
  return apiKeyScheme(authenticator, place, parameter);
};

const hasScopes = ({ scopes }: Principal, wanted: readonly string[]): boolean =>
  wanted.every((scope) => scopes.includes(scope)) || scopes.includes('*');

/** Has a scheme check scopes too. Where none are wanted it stays as it is, so that no request pays for it. */
export const withScopes = (scheme: Scheme, wanted: readonly string[]): Scheme => {
  if (wanted.length === 0) return scheme;
  const judge = (finding: Finding): Finding =>
    typeof finding === 'string' || hasScopes(finding, wanted) ? finding : 'insufficient';
  return {
    challenge: scheme.challenge,
    examine: (head, explain) => andThen(scheme.examine(head, explain), judge),
  };
};

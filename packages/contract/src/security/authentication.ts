import { type Requirements, schemeAt } from '@trellis/openapi/internal/document';
import { type RequestHeaders, sentIn } from '../parameters/places.ts';
import type { Problem } from '../problems/problem.ts';
import { hasScope, type Principal } from '../request/exchange.ts';
import { Incoming, type IncomingHead } from '../request/incoming.ts';
import { type Challenge, forbid, unauthorized, unserved } from './problems.ts';
import type {
  ApiKeyAuthenticator,
  Authenticated,
  Authenticators,
  BasicAuthenticator,
  BearerAuthenticator,
  Explain,
  Finding,
  RequestAuthenticator,
} from './security.ts';

/** A security scheme, compiled. */
interface Scheme {
  /** Its challenge in `WWW-Authenticate`; an apiKey has none. */
  readonly challenge: Challenge | undefined;
  /** Gives its finding, and explains why there is no principal. */
  readonly examine: (head: IncomingHead, explain: Explain) => Finding | Promise<Finding>;
}

/** RFC 6750, section 2.1: the syntax of a token. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** RFC 9110, section 11.4: the scheme's name is case-insensitive. */
const credentialsOf = ({ authorization = '' }: RequestHeaders, scheme: string): string | undefined => {
  const space = authorization.indexOf(' ');
  const name = space < 0 ? authorization : authorization.slice(0, space);
  return name.toLowerCase() === scheme ? authorization.slice(name.length).trim() : undefined;
};

const explainAbsence = ({ authorization }: RequestHeaders, scheme: string, explain: Explain): 'absent' => {
  explain(
    authorization === undefined
      ? 'there is no Authorization header'
      : `the Authorization header has another scheme than ${scheme}`,
  );
  return 'absent';
};

const bearerScheme = ({ authenticate }: BearerAuthenticator): Scheme => ({
  challenge: 'Bearer',
  examine({ headers }, explain) {
    const token = credentialsOf(headers, 'bearer');
    if (token === undefined) return explainAbsence(headers, 'Bearer', explain);
    if (TOKEN.test(token)) return authenticate(token, explain);
    explain('the bearer token is malformed');
    return undefined;
  },
});

/** RFC 7617, section 2: the name has no colon, the password may have any. */
const basicScheme = ({ authenticate }: BasicAuthenticator): Scheme => ({
  challenge: 'Basic realm="api", charset="UTF-8"',
  examine({ headers }, explain) {
    const encoded = credentialsOf(headers, 'basic');
    if (encoded === undefined) return explainAbsence(headers, 'Basic', explain);
    const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    if (name !== undefined && password !== undefined) return authenticate(name, password, explain);
    explain('the basic credentials are malformed');
    return undefined;
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
    if (key !== undefined) return authenticate(key, explain);
    explain(`there is no ${name} in the ${place}`);
    return 'absent';
  },
});

const requestScheme = ({ authenticate, challenge }: RequestAuthenticator): Scheme => ({
  challenge: typeof challenge === 'function' ? (head) => challenge(new Incoming(head)) : challenge,
  examine: (head, explain) => authenticate(new Incoming(head), explain),
});

/**
 * Compiles a security scheme of the document; returns `undefined` if the document does not declare it, or if neither
 * the service nor an authenticator of the owner can check its type. Throws if it has no authenticator.
 */
const compileScheme = (
  document: unknown,
  authenticators: Authenticators,
  name: string,
): Scheme | undefined => {
  const declared = schemeAt(document, name);
  if (!declared) return undefined;
  const { kind, place, parameter } = declared;
  const authenticator = Object.hasOwn(authenticators, name) ? authenticators[name] : undefined;
  if (authenticator?.type === 'request') return requestScheme(authenticator);
  if (kind === undefined) return undefined;
  if (authenticator?.type !== kind)
    throw new Error(
      `openapi.yaml: security scheme ${name} has no ${kind} authenticator; ` +
        `write one where createContract is called: authenticators: { ${JSON.stringify(name)}: { type: '${kind}', authenticate } }`,
    );
  if (authenticator.type === 'bearer') return bearerScheme(authenticator);
  if (authenticator.type === 'basic') return basicScheme(authenticator);
  return apiKeyScheme(authenticator, place, parameter);
};

/** A scheme, and the scopes that the operation requires. */
interface RequiredScheme extends Scheme {
  readonly scopes: readonly string[];
}

/** Schemes that must all accept a request. */
interface Alternative {
  readonly schemes: readonly RequiredScheme[];
  /** Makes the 403 for valid credentials that lack a scope. */
  readonly forbid: () => Problem;
}

/** Compiles an alternative; `undefined` if the service cannot check all of its schemes. */
const compileAlternative = (
  document: unknown,
  authenticators: Authenticators,
  requirement: Requirements[number],
): Alternative | undefined => {
  const wanted = Object.entries(requirement);
  const schemes = wanted.flatMap(([name, scopes]) => {
    const scheme = compileScheme(document, authenticators, name);
    return scheme ? [{ ...scheme, scopes: scopes ?? [] }] : [];
  });
  if (schemes.length < wanted.length) return undefined;
  const all = new Set(schemes.flatMap(({ scopes }) => scopes));
  const ofTokens = new Set(
    schemes.flatMap(({ challenge, scopes }) => (challenge === 'Bearer' ? scopes : [])),
  );
  return { schemes, forbid: () => forbid([...all], [...ofTokens]) };
};

/** The schemes that are examined, one after the other, until a principal is found. Throws if none is. */
type Examination = Generator<Finding | Promise<Finding>, Principal | undefined, Finding>;

/** Runs an examination, at once up to the first promise. See `andThen`. */
const run = (examination: Examination, first?: Finding): Authenticated => {
  for (let step = examination.next(first); ; ) {
    const { done, value } = step;
    if (done) return value;
    if (value instanceof Promise) return value.then((finding) => run(examination, finding));
    step = examination.next(value);
  }
};

/**
 * Compiles the authentication of an operation. All schemes of an alternative must accept, and one without schemes accepts
 * every client (OAS 3.1, section 4.8.30). A missing scope counts once all credentials are valid. An alternative with a
 * scheme that the service cannot check accepts no client; an operation without another alternative answers 501. Throws if
 * a scheme has no authenticator.
 */
export const createAuthentication =
  (document: unknown, authenticators: Authenticators) =>
  (requirements: Requirements): ((head: IncomingHead) => Authenticated) => {
    if (requirements.length === 0) return () => undefined;
    // The alternative without schemes goes last, whatever its position, so that callers with credentials are
    // identified.
    const alternatives = requirements
      .flatMap((requirement) => compileAlternative(document, authenticators, requirement) ?? [])
      .sort((one, other) => Number(one.schemes.length === 0) - Number(other.schemes.length === 0));
    if (alternatives.length === 0)
      return () => {
        throw unserved(document, requirements);
      };
    const challenges = new Set(
      alternatives.flatMap(({ schemes }) => schemes.flatMap(({ challenge }) => challenge ?? [])),
    );

    function* examine(head: IncomingHead): Examination {
      let isInvalid = false;
      let lacking: Alternative | undefined;
      const reasons: string[] = [];
      const explain: Explain = (reason) => void reasons.push(reason);
      for (const alternative of alternatives) {
        let principal: Principal | undefined;
        let result: 'accepted' | 'lacking' | 'refused' = 'accepted';
        for (const scheme of alternative.schemes) {
          const found = yield scheme.examine(head, explain);
          isInvalid ||= found === undefined;
          if (found === undefined || found === 'absent') result = 'refused';
          if (typeof found !== 'object') break;
          principal ??= found;
          if (!scheme.scopes.every((scope) => hasScope(found, scope))) result = 'lacking';
        }
        if (result === 'accepted') return principal;
        if (result === 'lacking') lacking ??= alternative;
      }
      throw lacking?.forbid() ?? unauthorized(challenges, head, isInvalid, reasons);
    }
    return (head) => run(examine(head));
  };

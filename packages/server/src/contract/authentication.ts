import { type Requirements, schemeAt } from '@trellis/openapi/document';
import type { RequestHead } from './parameters/places.ts';
import { Problem } from './problems/problem.ts';
import { type Authenticators, andThen, type Explain, type Principal, type Verdict } from './security.ts';
import { compileScheme, type Finding, type Scheme, withScopes } from './security-schemes.ts';

/** Schemes that must all accept a request. */
interface Alternative {
  readonly schemes: readonly Scheme[];
  /** Makes the 403 for valid credentials that lack a scope. */
  readonly forbid: () => Problem;
}

/** All schemes must accept; an alternative without schemes lets everybody in (OAS 3.1, section 4.8.30). */
const examineAll = (
  schemes: readonly Scheme[],
  head: RequestHead,
  explain: Explain,
  nth = 0,
  known?: Principal,
): Finding | undefined | Promise<Finding | undefined> => {
  const scheme = schemes[nth];
  if (!scheme) return known;
  return andThen(scheme.examine(head, explain), (finding) => {
    if (finding === 'insufficient')
      // the credentials of the others may still be missing, or invalid
      return andThen(examineAll(schemes, head, explain, nth + 1), (rest) =>
        typeof rest === 'string' ? rest : finding,
      );
    return typeof finding === 'string'
      ? finding
      : examineAll(schemes, head, explain, nth + 1, known ?? finding);
  });
};

/** RFC 6750, section 3: the scopes that can stand in a challenge. */
const SCOPE = /^[!#-[\]-~]+$/;

/** RFC 6750, section 3.1: the challenge says which scopes the request needs. */
const scopeChallenge = (scopes: readonly string[]): string =>
  scopes.every((scope) => SCOPE.test(scope))
    ? `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
    : 'Bearer error="insufficient_scope"';

/** Compiles an alternative; gives `undefined` if the service cannot check one of its schemes. */
const compileAlternative = (
  document: unknown,
  authenticators: Authenticators,
  requirement: Requirements[number],
): Alternative | undefined => {
  const wanted = Object.entries(requirement).map(([name, scopes]) => ({
    scheme: compileScheme(document, authenticators, name),
    scopes: scopes ?? [],
  }));
  const schemes = wanted.flatMap(({ scheme, scopes }) => (scheme ? withScopes(scheme, scopes) : []));
  if (schemes.length < wanted.length) return undefined;
  const all = new Set(wanted.flatMap(({ scopes }) => scopes));
  const ofTokens = new Set(
    wanted.flatMap(({ scheme, scopes }) => (scheme?.challenge === 'Bearer' ? scopes : [])),
  );
  const headers = ofTokens.size > 0 ? { 'WWW-Authenticate': scopeChallenge([...ofTokens]) } : {};
  const message = `the credentials are valid, but lack a scope: this operation needs ${[...all].join(', ')}`;
  return { schemes, forbid: () => new Problem('insufficientScope', message, { headers }) };
};

/** The 401 for a request without valid credentials. The reasons are for the log. */
const refuse = (challenges: ReadonlySet<string>, invalid: boolean, reasons: readonly string[]): Problem => {
  const words = [...challenges].map((challenge) =>
    invalid && challenge === 'Bearer' ? `${challenge} error="invalid_token"` : challenge,
  );
  const options = {
    ...(words.length > 0 && { headers: { 'WWW-Authenticate': words.join(', ') } }),
    ...(reasons.length > 0 && { cause: [...new Set(reasons)].join('; ') }),
  };
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

/** The 501 of an operation that the service can let nobody call. */
const unserved = (document: unknown, requirements: Requirements): Problem => {
  const types = requirements.flatMap(Object.keys).map((name) => schemeAt(document, name)?.type ?? name);
  return new Problem(
    'notImplemented',
    `the service cannot check the credentials of this operation: ${[...new Set(types)].join(', ')}`,
  );
};

/**
 * Compiles who may call an operation. An alternative with a scheme that the service cannot check lets nobody in; an
 * operation that has no other answers 501. Throws if a scheme has no authenticator.
 */
export const createAuthentication =
  (document: unknown, authenticators: Authenticators) =>
  (requirements: Requirements): ((head: RequestHead) => Verdict) => {
    if (requirements.length === 0) return () => undefined;
    // The alternative without schemes goes last, wherever it stands, so that callers who send credentials are known.
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

    const examineAny = (
      head: RequestHead,
      reasons: string[] = [],
      nth = 0,
      invalid = false,
      lacking?: Alternative,
    ): Verdict => {
      const alternative = alternatives[nth];
      if (!alternative) throw lacking?.forbid() ?? refuse(challenges, invalid, reasons);
      const explain: Explain = (reason) => void reasons.push(reason);
      return andThen(examineAll(alternative.schemes, head, explain), (finding) => {
        if (typeof finding !== 'string') return finding;
        const isLacking = finding === 'insufficient';
        return examineAny(
          head,
          reasons,
          nth + 1,
          invalid || finding === 'invalid',
          lacking ?? (isLacking ? alternative : undefined),
        );
      });
    };
    return (head) => examineAny(head);
  };

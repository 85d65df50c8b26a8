import { andThen } from './at-once.ts';
import type { RequestHead } from './parameters/places.ts';
import { Problem } from './problems/problem.ts';
import {
  type Authenticators,
  compileScheme,
  type Finding,
  type Principal,
  type Scheme,
  type Verdict,
} from './security.ts';

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

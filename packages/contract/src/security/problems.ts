import { type Requirements, schemeAt } from '@trellis/openapi/internal/document';
import { Problem } from '../problems/problem.ts';
import type { IncomingHead } from '../request/incoming.ts';

/** A challenge, or what makes one for a request. */
export type Challenge = string | ((head: IncomingHead) => string);

/** RFC 6750, section 3: the syntax of a scope in a challenge. */
const SCOPE = /^[!#-[\]-~]+$/;

/** RFC 6750, section 3.1: the challenge names the scopes that the request needs. */
const scopeChallenge = (scopes: readonly string[]): string =>
  scopes.every((scope) => SCOPE.test(scope))
    ? `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
    : 'Bearer error="insufficient_scope"';

/** The 403 for valid credentials that lack a scope. The challenge names the scopes that a bearer token needs. */
export const forbid = (scopes: readonly string[], ofTokens: readonly string[]): Problem => {
  const headers = ofTokens.length > 0 ? { 'WWW-Authenticate': scopeChallenge(ofTokens) } : {};
  const message = `the credentials are valid, but lack a scope: this operation needs ${scopes.join(', ')}`;
  return new Problem('insufficientScope', message, { headers });
};

/** The 401 for a request without valid credentials. The reasons are for the log. */
export const unauthorized = (
  challenges: ReadonlySet<Challenge>,
  head: IncomingHead,
  invalid: boolean,
  reasons: readonly string[],
): Problem => {
  const words = [...challenges].map((challenge) => {
    if (typeof challenge === 'function') return challenge(head);
    return invalid && challenge === 'Bearer' ? `${challenge} error="invalid_token"` : challenge;
  });
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

/** The 501 of an operation whose credentials the service cannot check. */
export const unserved = (document: unknown, requirements: Requirements): Problem => {
  const types = requirements.flatMap(Object.keys).map((name) => schemeAt(document, name)?.type ?? name);
  return new Problem(
    'notImplemented',
    `the service cannot check the credentials of this operation: ${[...new Set(types)].join(', ')}`,
  );
};

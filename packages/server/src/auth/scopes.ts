import type { JWTPayload } from 'jose';

const texts = (values: readonly unknown[]): string[] =>
  values.filter((value) => typeof value === 'string' && value !== '').map(String);

/** RFC 8693, section 4.2: a text has scopes between spaces. Some issuers write a list. */
const scopesIn = (claim: unknown): string[] =>
  texts(typeof claim === 'string' ? claim.split(' ') : listIn(claim));

/** The names of roles may have spaces, so a text is not taken apart. */
const listIn = (claim: unknown): string[] => (Array.isArray(claim) ? texts(claim) : []);

/**
 * The scopes and roles that an issuer has written into a token: `scope` (RFC 9068, section 2.2.3), or `scp` as Microsoft
 * and Okta write it, and `roles` and `permissions`. `*` is left out: only the owner of this service may grant every scope.
 */
export const scopesOf = ({ scope, scp, roles, permissions }: JWTPayload): readonly string[] => {
  const all = [...scopesIn(scope), ...scopesIn(scp), ...listIn(roles), ...listIn(permissions)];
  return [...new Set(all)].filter((each) => each !== '*');
};

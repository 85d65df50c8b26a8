/** The authenticated caller of an operation, and its scopes. */
export interface Principal {
  /** The name of the token, the subject of the JWT, or the name that an authenticator of the owner gave. */
  readonly name: string;
  /** The scopes and roles of the caller. `*` grants every scope. */
  readonly scopes: readonly string[];
}

/**
 * Whether a principal has a scope or a role, by its name or by `*`.
 *
 * @example
 * if (!hasScope(principal, 'admin')) return { status: 403, body: problem('insufficientScope', 'only admins delete') };
 */
export const hasScope = (principal: Principal | undefined, scope: string): boolean =>
  principal !== undefined && (principal.scopes.includes(scope) || principal.scopes.includes('*'));

/** Who sent a request, and what they may do. */
export interface Principal {
  /** The name of their token. */
  readonly name: string;
  /** The scopes and roles that they have. `*` stands for every scope that the contract asks for. */
  readonly scopes: readonly string[];
}

/**
 * Whether somebody has a scope or a role: by its name, or because they have all of them.
 *
 * @example
 * if (!hasScope(principal, 'admin')) return { status: 403, body: problem('insufficientScope', 'only admins delete') };
 */
export const hasScope = (principal: Principal | undefined, scope: string): boolean =>
  principal !== undefined && (principal.scopes.includes(scope) || principal.scopes.includes('*'));

/** The codes of authentication's own errors: status × 100 + n. */
export const AUTH_PROBLEMS = { keysUnavailable: 50303 } as const;

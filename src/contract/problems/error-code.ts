/** The `code` of an error, such as `ENOENT`; `undefined` if it has none. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** What an error says; what was thrown, as a text, if that is no error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads the `code` that Node.js and its libraries give their errors; empty if there is none. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

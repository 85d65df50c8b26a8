import { Problem } from '../problems/problem.ts';

/** A value that a cursor can hold. Write an int64 as a text: JSON would round it. */
export type CursorValue =
  | string
  | number
  | boolean
  | null
  | readonly CursorValue[]
  | { readonly [name: string]: CursorValue };

/**
 * Encodes the start of the next page as a text that clients send back unchanged. It is neither secret nor signed.
 *
 * @example
 * const next = encodeCursor(rows.at(-1).name);
 */
export const encodeCursor = (value: CursorValue): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Decodes a cursor from a client. `read` returns the meaning of the decoded value, or `undefined` if it is invalid.
 * Throws 400 for an invalid cursor. Any client can forge a cursor, so `read` must check all of it.
 *
 * @example
 * const after = decodeCursor(query.cursor, (value) => (typeof value === 'string' ? value : undefined));
 */
export const decodeCursor = <T>(cursor: string, read: (value: unknown) => T | undefined): T => {
  let cause: unknown;
  try {
    const found = read(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (found !== undefined) return found;
  } catch (error) {
    cause = error;
  }
  throw new Problem('schemaMismatch', 'the cursor is not from this service', { cause });
};

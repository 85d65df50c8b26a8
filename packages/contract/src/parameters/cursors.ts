import { Problem } from '../problems/problem.ts';

/** What a cursor can hold. An int64 is written as a text, because JSON would round it. */
export type CursorValue =
  | string
  | number
  | boolean
  | null
  | readonly CursorValue[]
  | { readonly [name: string]: CursorValue };

/**
 * Where the next page of a list starts, as a text that clients send back as it is. It is neither secret nor signed.
 *
 * @example
 * const next = encodeCursor(rows.at(-1).name);
 */
export const encodeCursor = (value: CursorValue): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Reads a cursor that a client has sent. `read` gives what the cursor means, or `undefined` if it means nothing. Throws a
 * 400 for that, and for a text that is no cursor: anybody can write one, so `read` must check all of it.
 *
 * @example
 * const after = decodeCursor(query.cursor, (value) => (typeof value === 'string' ? value : undefined));
 */
export const decodeCursor = <T>(cursor: string, read: (value: unknown) => T | undefined): T => {
  const refuse = (cause?: unknown): never => {
    throw new Problem('schemaMismatch', 'the cursor is not one of this service', { cause });
  };
  try {
    return read(JSON.parse(Buffer.from(cursor, 'base64url').toString())) ?? refuse();
  } catch (error) {
    return refuse(error);
  }
};

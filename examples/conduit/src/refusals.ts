import { ConstraintViolation } from '@trellis/data';
import { Problem } from '@trellis/server';

/** Gives a value that a query has found; throws a 404 if the query found nothing. */
export const found = <Value>(value: Value | undefined, what: string): Value => {
  if (value === undefined) throw new Problem(40401, `there is no such ${what}`);
  return value;
};

/** Throws a 403 unless the caller wrote the article or the comment. */
export const checkAuthor = (author: bigint, caller: bigint): void => {
  if (author !== caller) throw new Problem(40301, 'only its author may do that');
};

/** Throws a 409 for a unique value that is taken, and any other error unchanged. */
export const refuseTaken = (error: unknown): never => {
  if (!(error instanceof ConstraintViolation) || error.kind !== 'unique') throw error;
  throw new Problem(40901, `${error.columns.join(', ')} is already taken`);
};

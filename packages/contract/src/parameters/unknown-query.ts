import { memberPlace, type Violation } from '@trellis/openapi/internal/json';
import type { Parameter } from './parameters.ts';
import { type RequestHead, SENT } from './places.ts';
import { createOwns } from './reader.ts';

/** Whether undeclared query parameters are ignored, or refused with 400. */
export type UnknownQuery = 'ignore' | 'refuse';

/** How many unknown names are listed; a request may have thousands. */
const MOST_LISTED = 20;

/**
 * Compiles what finds the query parameters of a request that its operation neither declares nor needs as credentials. An
 * object whose members are sent under their own names may have any, and so may a query that is one value.
 */
export const createQueryCheck = (
  parameters: readonly Parameter[],
  credentials: readonly string[],
): ((head: RequestHead) => readonly Violation[]) => {
  const declared = parameters.filter(({ place }) => place === 'query');
  if (declared.some(({ source, isSpread }) => isSpread || source === 'querystring')) return () => [];
  const isOwned = createOwns(declared);
  return (head) =>
    [...SENT.query(head).keys()]
      .filter((name) => !isOwned(name) && !credentials.includes(name))
      .slice(0, MOST_LISTED)
      .map((name) => ({
        place: memberPlace('query', name),
        message: 'is not a parameter of this operation',
      }));
};

import { isTree, memberPlace, nearestTo, ownMember, type Violation, valueAt } from '@trellis/openapi/json';
import { placesOf } from '@trellis/openapi/schema';
import type { Parameter } from './parameters.ts';
import { type RequestHead, SENT } from './places.ts';
import { createOwns } from './reader.ts';

/** Whether undeclared query parameters are ignored, or refused with 400. */
export type UnknownQuery = 'ignore' | 'refuse';

/** How many unknown names are listed; a request may have thousands. */
const MOST_LISTED = 20;

/** Whether the objects of a schema have members that it does not name. One that says nothing of others takes none here. */
const takesOthers = (document: unknown, schemaAt: string): boolean =>
  placesOf(document, schemaAt)
    .map((place) => valueAt(document, place))
    .some(
      (schema) =>
        isTree(ownMember(schema, 'patternProperties')) || !!ownMember(schema, 'additionalProperties'),
    );

/** Compiles what finds the query parameters of a request that its operation neither declares nor needs as credentials. */
export const createQueryCheck = (
  document: unknown,
  parameters: readonly Parameter[],
  credentials: readonly string[],
): ((head: RequestHead) => readonly Violation[]) => {
  const declared = parameters.filter(({ place }) => place === 'query');
  const takesAny = ({ source, isSpread, schemaAt }: Parameter): boolean =>
    source === 'querystring' || (isSpread && takesOthers(document, schemaAt));
  if (declared.some(takesAny)) return () => [];
  const known = [...declared.flatMap(({ names }) => names), ...credentials];
  const isOwned = createOwns(declared);
  return (head) =>
    [...SENT.query(head).keys()]
      .filter((name) => !isOwned(name) && !credentials.includes(name))
      .slice(0, MOST_LISTED)
      .map((name) => {
        const meant = nearestTo(name, known);
        const remedy = meant === undefined ? '' : `; did you mean ${meant}?`;
        return {
          place: memberPlace('query', name),
          message: `is not a parameter of this operation${remedy}`,
        };
      });
};

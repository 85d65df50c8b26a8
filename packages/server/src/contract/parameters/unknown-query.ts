import { isTree, memberPlace, nearestTo, ownMember, type Violation, valueAt } from '@trellis/openapi/json';
import { membersOf, placesOf } from '@trellis/openapi/schema';
import { splitName } from './brackets.ts';
import type { Parameter } from './parameters.ts';
import { type RequestHead, SENT } from './places.ts';
import { shapesOf, takesBrackets } from './reader.ts';

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

/** How a query parameter may be sent: under these names, or under any, and perhaps with brackets after its own. */
const namesOf = (document: unknown, { name, source, schemaAt }: Parameter) => {
  const declared = valueAt(document, schemaAt.replace(/\/schema$/, ''));
  const style = String(ownMember(declared, 'style') ?? 'form');
  const explode = Boolean(ownMember(declared, 'explode') ?? style === 'form');
  const isSpread = style === 'form' && explode && shapesOf(document, schemaAt).includes('object');
  return {
    isAny: source === 'querystring' || (isSpread && takesOthers(document, schemaAt)),
    names: isSpread ? [name, ...membersOf(document, schemaAt)] : [name],
    bracketed: takesBrackets(document, { style, explode }, schemaAt) ? [name] : [],
  };
};

/** Compiles what finds the query parameters of a request that its operation neither declares nor needs as credentials. */
export const createQueryCheck = (
  document: unknown,
  parameters: readonly Parameter[],
  credentials: readonly string[],
): ((head: RequestHead) => readonly Violation[]) => {
  const sent = parameters.filter(({ place }) => place === 'query').map((each) => namesOf(document, each));
  if (sent.some(({ isAny }) => isAny)) return () => [];
  const known = new Set([...sent.flatMap(({ names }) => names), ...credentials]);
  const bracketed = new Set(sent.flatMap((each) => each.bracketed));
  const isUnknown = (name: string) => !known.has(name) && !bracketed.has(splitName(name)?.[0] ?? '');
  return (head) =>
    [...SENT.query(head).keys()]
      .filter(isUnknown)
      .slice(0, MOST_LISTED)
      .map((name) => {
        const meant = nearestTo(name, [...known]);
        const remedy = meant === undefined ? '' : `; did you mean ${meant}?`;
        return {
          place: memberPlace('query', name),
          message: `is not a parameter of this operation${remedy}`,
        };
      });
};

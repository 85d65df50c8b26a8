import { isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { placesOf } from '@trellis/openapi/schema';

/** How deep alternatives of alternatives are followed: schemas may be recursive. */
const DEEPEST = 4;

/** What several schemas of one value declare together. */
export interface Declared {
  /** All values of a keyword. */
  readonly read: (keyword: string) => unknown[];
  /** The tightest upper bound that some keywords set; Infinity if they set none. */
  readonly most: (...keywords: readonly string[]) => number;
  readonly types: ReadonlySet<unknown>;
  readonly isNullable: boolean;
  /** The names of all declared members. */
  readonly members: readonly string[];
  /** Where the schema of a member, or of the items, stands. */
  readonly memberAt: (...steps: readonly string[]) => string | undefined;
}

const branchesAt = (document: unknown, pointer: string): string[] =>
  placesOf(document, pointer, ['allOf']).flatMap((place) =>
    ['oneOf', 'anyOf'].flatMap((keyword) => {
      const list = ownMember(valueAt(document, place), keyword);
      return Array.isArray(list) ? list.map((_, index) => place + pointerTo(keyword, `${index}`)) : [];
    }),
  );

const isNull = (document: unknown, pointer: string): boolean =>
  ownMember(valueAt(document, pointer), 'type') === 'null';

/** Where the alternatives of the schema at a pointer stand, null left out. */
export const alternativesAt = (document: unknown, pointer: string): string[] =>
  branchesAt(document, pointer).filter((at) => !isNull(document, at));

/** The schema itself, what it refers to, all of its `allOf`, and one alternative. */
const schemasAt = (document: unknown, pointer: string, alternative: number, depth = 0): string[] => {
  const branches = alternativesAt(document, pointer);
  const chosen = branches[alternative] ?? branches[0];
  const own = placesOf(document, pointer, ['allOf']);
  return chosen === undefined || depth > DEEPEST
    ? own
    : [...own, ...schemasAt(document, chosen, 0, depth + 1)];
};

/** Reads what the schema at a pointer declares, with one alternative of its union. */
export const declaredAt = (document: unknown, pointer: string, alternative = 0): Declared => {
  const places = schemasAt(document, pointer, alternative);
  const read = (keyword: string): unknown[] =>
    places
      .map((place) => ownMember(valueAt(document, place), keyword))
      .filter((value) => value !== undefined);
  const members = [...new Set(read('properties').filter(isTree).flatMap(Object.keys))];
  const types = new Set(read('type').flat());
  if (types.size === 0 && members.length > 0) types.add('object');
  if (types.size === 0 && read('items').length > 0) types.add('array');
  return {
    read,
    most: (...keywords) =>
      Math.min(...keywords.flatMap(read).flatMap((bound) => (typeof bound === 'number' ? [bound] : []))),
    types,
    isNullable:
      types.has('null') ||
      places.some((at) => branchesAt(document, at).some((each) => isNull(document, each))),
    members,
    memberAt: (...steps) =>
      places.map((place) => place + pointerTo(...steps)).find((at) => valueAt(document, at) !== undefined),
  };
};

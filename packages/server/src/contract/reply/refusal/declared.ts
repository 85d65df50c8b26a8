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

/** Reads the schemas of a document, one alternative of each union at a time. */
export const createDeclarations = (document: unknown) => {
  const isNull = (pointer: string): boolean => ownMember(valueAt(document, pointer), 'type') === 'null';

  const branchesOf = (places: readonly string[]): string[] =>
    places.flatMap((place) =>
      ['oneOf', 'anyOf'].flatMap((keyword) => {
        const list = ownMember(valueAt(document, place), keyword);
        return Array.isArray(list) ? list.map((_, index) => place + pointerTo(keyword, `${index}`)) : [];
      }),
    );

  /** Where the alternatives of the schema at a pointer stand, null left out. */
  const alternativesAt = (pointer: string): string[] =>
    branchesOf(placesOf(document, pointer, ['allOf'])).filter((at) => !isNull(at));

  /** The schema itself, what it refers to, all of its `allOf`, and one alternative. */
  const schemasAt = (pointer: string, alternative: number, depth = 0): string[] => {
    const branches = alternativesAt(pointer);
    const chosen = branches[alternative] ?? branches[0];
    const own = placesOf(document, pointer, ['allOf']);
    return chosen === undefined || depth > DEEPEST ? own : [...own, ...schemasAt(chosen, 0, depth + 1)];
  };

  const declaredAt = (pointer: string, alternative = 0): Declared => {
    const places = schemasAt(pointer, alternative);
    const schemas = places.map((place) => valueAt(document, place));
    const read = (keyword: string): unknown[] =>
      schemas.map((schema) => ownMember(schema, keyword)).filter((value) => value !== undefined);
    const members = [...new Set(read('properties').filter(isTree).flatMap(Object.keys))];
    const types = new Set(read('type').flat());
    if (types.size === 0 && members.length > 0) types.add('object');
    if (types.size === 0 && read('items').length > 0) types.add('array');
    return {
      read,
      most: (...keywords) =>
        Math.min(...keywords.flatMap(read).flatMap((bound) => (typeof bound === 'number' ? [bound] : []))),
      types,
      isNullable: types.has('null') || branchesOf(places).some(isNull),
      members,
      memberAt: (...steps) =>
        places.map((place) => place + pointerTo(...steps)).find((at) => valueAt(document, at) !== undefined),
    };
  };

  return { alternativesAt, declaredAt };
};

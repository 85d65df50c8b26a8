import { isTree, oncePerKey, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { BRANCHES, placesOf } from '@trellis/openapi/internal/schema';
import { isInt64 } from '../validation/edits.ts';
import { patternsAt } from '../validation/evaluation.ts';

/** Finds the schemas of a part of a value, below one schema of the value. */
export type SchemasAt = (place: string) => readonly string[];

/** A condition may declare members, too. */
const APPLICABLE: readonly string[] = [...BRANCHES, 'if'];

/** The pointers of the schemas that apply to the values of some schemas, except the branches that are left out. */
export const placesIn = (
  document: unknown,
  pointers: readonly string[],
  excluded: ReadonlySet<string>,
): string[] => [...new Set(pointers.flatMap((at) => placesOf(document, at, APPLICABLE, new Set(excluded))))];

const isText = (value: unknown): value is string => typeof value === 'string';

/** The names of members that a schema requires, even if it does not describe them. */
const requiredBy = (schema: unknown): string[] => [
  ...[ownMember(schema, 'required')].flat().filter(isText),
  ...Object.entries(ownMember(schema, 'dependentRequired') ?? {})
    .flat(2)
    .filter(isText),
  ...Object.keys(ownMember(schema, 'dependentSchemas') ?? {}),
  ...[ownMember(ownMember(schema, 'discriminator'), 'propertyName')].filter(isText),
];

/** The names of the members that schemas describe, and of those that they only require. */
export const namesIn = (document: unknown, places: readonly string[]): ReadonlySet<string> => {
  const schemas = places.map((place) => valueAt(document, place));
  return new Set([
    ...schemas.flatMap((schema) => Object.keys(ownMember(schema, 'properties') ?? {})),
    ...schemas.flatMap(requiredBy),
  ]);
};

const constantsOf = (schema: unknown): unknown[] => [
  ...[ownMember(schema, 'enum') ?? []].flat(),
  ownMember(schema, 'const'),
];

const isNumeric = (type: unknown): boolean => type === 'number' || type === 'integer';

/** Whether a schema declares a type for numbers, or lists the values. An int64 is a bigint for handlers, and no number. */
export const describesNumbers = (schema: unknown): boolean =>
  (!isInt64(schema) && [ownMember(schema, 'type')].flat().some(isNumeric)) ||
  constantsOf(schema).some((value) => value !== undefined);

/** Whether a schema lists lists or objects, with all numbers in them. */
export const listsTrees = (schema: unknown): boolean => constantsOf(schema).some(isTree);

/** The pointer of the schema at these steps below another; an empty list if the schema is missing. */
export const schemaUnder = (document: unknown, place: string, ...steps: readonly string[]): string[] => {
  const at = place + pointerTo(...steps);
  return valueAt(document, at) === undefined ? [] : [at];
};

/** Finds the schemas of members and items below the schemas of a document. */
export const createMemberSchemas = (document: unknown) => {
  /** The schema of a keyword that allows members, or items, which are not declared. */
  const openingAt = oncePerKey((at: string): readonly string[] => {
    const value = valueAt(document, at);
    return value === true || isTree(value) ? [at] : [];
  });
  const patterns = oncePerKey((place: string) => patternsAt(document, place));
  const matching = (place: string, name: string): string[] =>
    patterns(place).flatMap(({ pattern, at }) => (pattern.test(name) ? [at] : []));

  const propertiesAt = oncePerKey((place: string) =>
    Object(ownMember(valueAt(document, place), 'properties')),
  );
  const named = (place: string, name: string): string[] =>
    Object.hasOwn(propertiesAt(place), name) ? [place + pointerTo('properties', name)] : [];

  /** Adds the schema of `unevaluated…`, where no schema of the same value describes the part. */
  const withUnevaluated =
    (keyword: string, described: SchemasAt, excluded: ReadonlySet<string>): SchemasAt =>
    (place) => {
      const own = described(place);
      const rest = own.length > 0 ? [] : openingAt(`${place}/${keyword}`);
      if (rest.length === 0) return own;
      const beside = placesIn(document, [place], excluded);
      return beside.some((each) => described(each).length > 0) ? [] : rest;
    };

  return {
    /** Whether a schema itself allows members that it does not name. */
    isOpenAt: (place: string): boolean =>
      ['unevaluatedProperties', 'additionalProperties'].some(
        (keyword) => openingAt(`${place}/${keyword}`).length > 0,
      ),
    hasPatterns: (place: string): boolean => patterns(place).length > 0,
    isMatched: (place: string, name: string): boolean => matching(place, name).length > 0,
    /** The schemas for a member (JSON Schema 2020-12, section 10.3.2), or for excluded members. */
    membersAt: (name: string | undefined, excluded: ReadonlySet<string>): SchemasAt =>
      withUnevaluated(
        'unevaluatedProperties',
        (place) => {
          const own = name === undefined ? [] : [...named(place, name), ...matching(place, name)];
          return own.length > 0 ? own : openingAt(`${place}/additionalProperties`);
        },
        excluded,
      ),
    /** The schemas for an item (JSON Schema 2020-12, section 10.3.1). */
    itemsAt: (index: string, excluded: ReadonlySet<string>): SchemasAt =>
      withUnevaluated(
        'unevaluatedItems',
        (place) => {
          const own = schemaUnder(document, place, 'prefixItems', index);
          return own.length > 0 ? own : schemaUnder(document, place, 'items');
        },
        excluded,
      ),
  };
};

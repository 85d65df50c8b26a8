import { isTree, ownMember, pointerTo, refAt, valueAt } from './pointer.ts';

/** Every place that has a say in what the schema at a pointer accepts: itself, what it refers to, its branches. */
export const placesOf = (document: unknown, pointer: string, seen = new Set<string>()): string[] => {
  if (seen.has(pointer)) return [];
  seen.add(pointer);
  const schema = valueAt(document, pointer);
  const target = refAt(document, pointer);
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
    Object.keys(ownMember(schema, keyword) ?? {}).map((index) => pointer + pointerTo(keyword, index)),
  );
  return [
    pointer,
    ...[...(target === undefined ? [] : [target]), ...branches].flatMap((place) =>
      placesOf(document, place, seen),
    ),
  ];
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** The JSON types that a schema names, by `type`, `const` or `enum`; none if it leaves that open. */
export const typesOf = (document: unknown, pointer: string): ReadonlySet<string> =>
  new Set(
    placesOf(document, pointer).flatMap((place) => {
      const schema = valueAt(document, place);
      const constants = [
        ownMember(schema, 'enum') ?? [],
        isTree(schema) && 'const' in schema ? [schema.const] : [],
      ].flat();
      return [[ownMember(schema, 'type') ?? []].flat().map(String), constants.map(typeOf)].flat();
    }),
  );

/** Where the schema of a member, or of every item, stands; `undefined` if it is left open. */
export const memberAt = (
  document: unknown,
  pointer: string,
  keyword: string,
  name?: string,
): string | undefined =>
  placesOf(document, pointer)
    .map((place) => place + (name === undefined ? pointerTo(keyword) : pointerTo(keyword, name)))
    .find((place) => valueAt(document, place) !== undefined);

/** The members that a schema names. */
export const membersOf = (document: unknown, pointer: string): string[] =>
  placesOf(document, pointer).flatMap((place) =>
    Object.keys(ownMember(valueAt(document, place), 'properties') ?? {}),
  );

/** The default of a schema; `undefined` if it has none. */
export const defaultOf = (document: unknown, pointer: string): unknown =>
  placesOf(document, pointer)
    .map((place) => ownMember(valueAt(document, place), 'default'))
    .find((value) => value !== undefined);

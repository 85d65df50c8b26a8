import { hasPositions, type SequenceKind, sequenceKindOf } from '../http/media-types.ts';
import { isTree, ownMember, pointerTo, refAt, valueAt } from '../json/pointer.ts';

/** The keywords whose schemas apply to the same value (JSON Schema 2020-12, section 10.2), except conditions. */
export const BRANCHES: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'];

/** Keywords whose value is one schema, not several. */
const CONDITIONAL: ReadonlySet<string> = new Set(['if', 'then', 'else']);

const branchesAt = (schema: unknown, pointer: string, keyword: string): string[] => {
  const at = pointer + pointerTo(keyword);
  const branches = ownMember(schema, keyword);
  if (!isTree(branches)) return [];
  return CONDITIONAL.has(keyword) ? [at] : Object.keys(branches).map((name) => at + pointerTo(name));
};

/** The pointers of all schemas that apply to the values of a schema: itself, the target of its `$ref`, its branches. */
export const placesOf = (
  document: unknown,
  pointer: string,
  keywords: readonly string[] = BRANCHES,
  seen = new Set<string>(),
): string[] => {
  if (seen.has(pointer)) return [];
  seen.add(pointer);
  const schema = valueAt(document, pointer);
  const target = refAt(document, pointer);
  const branches = keywords.flatMap((keyword) => branchesAt(schema, pointer, keyword));
  return [
    pointer,
    ...[...(target === undefined ? [] : [target]), ...branches].flatMap((place) =>
      placesOf(document, place, keywords, seen),
    ),
  ];
};

/** The pointer of a schema, or of its target if it is only a reference. */
export const throughRefs = (document: unknown, pointer: string): string => {
  const seen = new Set<string>();
  let here = pointer;
  while (!seen.has(here)) {
    seen.add(here);
    const target = refAt(document, here);
    if (target === undefined || Object.keys(valueAt(document, here) ?? {}).length > 1) return here;
    here = target;
  }
  return here;
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** The JSON types that a schema allows by `type`, `const` or `enum`; none if it allows any. */
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

/** The pointers of the schemas of a member, or of every item. */
export const membersAt = (document: unknown, pointer: string, ...steps: readonly string[]): string[] =>
  placesOf(document, pointer)
    .map((place) => place + pointerTo(...steps))
    .filter((place) => valueAt(document, place) !== undefined);

/** The pointer of the first schema of a member, or of every item; `undefined` if it has no schema. */
export const memberAt = (
  document: unknown,
  pointer: string,
  ...steps: readonly string[]
): string | undefined => membersAt(document, pointer, ...steps)[0];

/** The members that a schema declares. */
export const membersOf = (document: unknown, pointer: string): string[] =>
  placesOf(document, pointer).flatMap((place) =>
    Object.keys(ownMember(valueAt(document, place), 'properties') ?? {}),
  );

/** The default of a schema; `undefined` if it has none. */
export const defaultOf = (document: unknown, pointer: string, keywords = BRANCHES): unknown =>
  placesOf(document, pointer, keywords)
    .map((place) => ownMember(valueAt(document, place), 'default'))
    .find((value) => value !== undefined);

/** OAS 3.1 says `contentMediaType` for the `format: binary` of 3.0; with a `contentEncoding` it is text. */
const isBinary = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'binary' ||
  (ownMember(schema, 'contentMediaType') !== undefined && ownMember(schema, 'contentEncoding') === undefined);

/** Where the schema at a pointer says that its values are bytes; nowhere if they are not. */
export const binaryPlaces = (document: unknown, pointer: string): string[] =>
  placesOf(document, pointer).filter((place) => isBinary(valueAt(document, place)));

/** How the items of a body are encoded, if its schema declares a list: JSON values, or parts; else `undefined`. */
export const itemsKindAt = (
  document: unknown,
  mediaType: string,
  schemaAt: string,
): Exclude<SequenceKind, 'events'> | 'parts' | undefined => {
  const kind = hasPositions(mediaType) ? 'parts' : sequenceKindOf(mediaType);
  const types = typesOf(document, schemaAt);
  return kind !== 'events' && types.size === 1 && types.has('array') ? kind : undefined;
};

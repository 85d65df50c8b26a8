import { isTree, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/internal/json';

/** Keywords that describe members. A schema without any of these does not describe the members of an object. */
const DESCRIBING = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];

/** A value with members, or with items. */
type Whole = 'object' | 'array';

/** Whether the types and constants of a schema itself allow objects, or lists. */
export const allows = (schema: unknown, whole: Whole): boolean => {
  if (!isTree(schema)) return schema !== false;
  const { type, enum: constants } = schema;
  const isWhole = (value: unknown): boolean => isTree(value) && Array.isArray(value) === (whole === 'array');
  return (
    (type === undefined || [type].flat().includes(whole)) &&
    (!Array.isArray(constants) || constants.some(isWhole)) &&
    (!Object.hasOwn(schema, 'const') || isWhole(schema.const))
  );
};

/**
 * The ways to fit a schema: `silent` does not describe the value, `free` accepts any value. All other ways are left
 * out.
 */
type Ways = readonly ('silent' | 'free')[];

/** All of these schemas apply. */
const combine = (all: readonly Ways[]): Ways => {
  if (all.some(({ length }) => length === 0)) return [];
  const isFree = all.some((ways) => ways.includes('free'));
  const isSilent = all.every((ways) => ways.includes('silent'));
  return [...(isSilent ? (['silent'] as const) : []), ...(isFree ? (['free'] as const) : [])];
};

/** The ways to fit the schema at a pointer. */
const waysAt = (
  document: unknown,
  pointer: string,
  judge: (place: string) => Ways,
  excluded: ReadonlySet<string>,
  seen: ReadonlySet<string> = new Set(),
): Ways => {
  if (excluded.has(pointer)) return [];
  if (seen.has(pointer)) return ['silent'];
  const schema = valueAt(document, pointer);
  const own = judge(pointer);
  if (own.length === 0) return own;
  const below = new Set([...seen, pointer]);
  const visit = (at: string): Ways => waysAt(document, at, judge, excluded, below);
  const under = (keyword: string): Ways[] =>
    Object.keys(ownMember(schema, keyword) ?? {}).map((key) => visit(pointer + pointerTo(keyword, key)));
  const conditions = ownMember(schema, 'if') === undefined ? [] : ['then', 'else'];
  const unions = [
    under('oneOf'),
    under('anyOf'),
    conditions.map((keyword) => visit(pointer + pointerTo(keyword))),
  ].filter(({ length }) => length > 0);
  const target = refAt(document, pointer);
  return combine([
    own,
    ...(target === undefined ? [] : [visit(target)]),
    ...under('allOf'),
    ...unions.map((union) => union.flat()),
  ]);
};

/** Finds schemas that accept any object: at least one way to fit them describes no members. */
export const createFreeForm = (document: unknown) => {
  const ways = (
    pointers: readonly string[],
    judge: (place: string) => Ways,
    excluded: ReadonlySet<string>,
  ): Ways => combine(pointers.map((pointer) => waysAt(document, pointer, judge, excluded)));

  /** Whether these schemas together accept any object. Excluded branches of unions do not count. */
  const isFreeForm = (pointers: readonly string[], excluded: ReadonlySet<string> = new Set()): boolean => {
    const judge = (place: string): Ways => {
      const schema = valueAt(document, place);
      const isDescribed = DESCRIBING.some((keyword) => ownMember(schema, keyword) !== undefined);
      return isDescribed || !allows(schema, 'object') ? [] : ['silent'];
    };
    return ways(pointers, judge, excluded).length > 0;
  };

  /** The same for a part of their values; `partAt` finds the schemas of that part below one schema. */
  const isFreePart = (
    whole: Whole,
    pointers: readonly string[],
    partAt: (place: string) => readonly string[],
    excluded: ReadonlySet<string>,
  ): boolean => {
    const judge = (place: string): Ways => {
      const schemas = partAt(place);
      if (!allows(valueAt(document, place), whole)) return [];
      if (schemas.length === 0) return ['silent'];
      return isFreeForm(schemas) ? ['free'] : [];
    };
    return ways(pointers, judge, excluded).includes('free');
  };

  return { isFreeForm, isFreePart };
};

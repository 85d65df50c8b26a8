import { isTree, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/json';

/** The keywords that describe members. A schema with none of them says nothing about what an object holds. */
const DESCRIBING = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];

/** A value with members, or with items. */
type Whole = 'object' | 'array';

/** Whether the types and constants of a schema itself allow objects, or lists. */
const allows = (schema: unknown, whole: Whole): boolean => {
  if (!isTree(schema)) return schema !== false;
  const { type, enum: constants } = schema;
  const isWhole = (value: unknown): boolean => isTree(value) && Array.isArray(value) === (whole === 'array');
  return (
    (type === undefined || [type].flat().includes(whole)) &&
    (!Array.isArray(constants) || constants.some(isWhole)) &&
    (!Object.hasOwn(schema, 'const') || isWhole(schema.const))
  );
};

/** What a schema says about some value: nothing, that anything fits, or more than that. */
type Openness = 'silent' | 'free' | 'described';

/** Which of those there are among the ways to fit a schema, beside `described`. */
interface Ways {
  readonly silent: boolean;
  readonly free: boolean;
}

/** All of these schemas apply. */
const allOf = (all: readonly Ways[]): Ways => ({
  silent: all.every(({ silent }) => silent),
  free: all.every(({ silent, free }) => silent || free) && all.some(({ free }) => free),
});

/** One of these schemas applies. */
const oneOf = (all: readonly Ways[]): Ways => ({
  silent: all.some(({ silent }) => silent),
  free: all.some(({ free }) => free),
});

/** Finds where schemas accept any object: at least one of the ways to fit them describes no members. */
export const createFreeForm = (document: unknown) => {
  const waysAt = (
    pointer: string,
    judge: (place: string) => Openness,
    excluded: ReadonlySet<string>,
    seen: ReadonlySet<string>,
  ): Ways => {
    if (excluded.has(pointer)) return { silent: false, free: false };
    if (seen.has(pointer)) return { silent: true, free: false };
    const schema = valueAt(document, pointer);
    const verdict = judge(pointer);
    if (verdict === 'described') return { silent: false, free: false };
    const below = new Set([...seen, pointer]);
    const visit = (at: string): Ways => waysAt(at, judge, excluded, below);
    const under = (keyword: string): Ways[] =>
      Object.keys(ownMember(schema, keyword) ?? {}).map((key) => visit(pointer + pointerTo(keyword, key)));
    const conditions = ownMember(schema, 'if') === undefined ? [] : ['then', 'else'];
    const unions = [
      under('oneOf'),
      under('anyOf'),
      conditions.map((keyword) => visit(pointer + pointerTo(keyword))),
    ].filter(({ length }) => length > 0);
    const target = refAt(document, pointer);
    return allOf([
      { silent: verdict === 'silent', free: verdict === 'free' },
      ...(target === undefined ? [] : [visit(target)]),
      ...under('allOf'),
      ...unions.map(oneOf),
    ]);
  };

  const ways = (
    pointers: readonly string[],
    judge: (place: string) => Openness,
    excluded: ReadonlySet<string>,
  ): Ways => allOf(pointers.map((pointer) => waysAt(pointer, judge, excluded, new Set())));

  /** Whether these schemas together accept any object. Excluded branches of unions do not count. */
  const isFreeForm = (pointers: readonly string[], excluded: ReadonlySet<string> = new Set()): boolean => {
    const { silent, free } = ways(
      pointers,
      (place) => {
        const schema = valueAt(document, place);
        const isDescribed = DESCRIBING.some((keyword) => ownMember(schema, keyword) !== undefined);
        return isDescribed || !allows(schema, 'object') ? 'described' : 'silent';
      },
      excluded,
    );
    return silent || free;
  };

  /** The same for a part of their values; `partAt` finds the schemas of that part that stand below one schema. */
  const isFreePart = (
    whole: Whole,
    pointers: readonly string[],
    partAt: (place: string) => readonly string[],
    excluded: ReadonlySet<string>,
  ): boolean => {
    const judge = (place: string): Openness => {
      const schemas = partAt(place);
      if (!allows(valueAt(document, place), whole)) return 'described';
      if (schemas.length === 0) return 'silent';
      return isFreeForm(schemas) ? 'free' : 'described';
    };
    return ways(pointers, judge, excluded).free;
  };

  return { isFreeForm, isFreePart };
};

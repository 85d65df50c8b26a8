/** Finds schemas that lead back to themselves: they never come to an end, or have no type in TypeScript. */
import { rewriteSchemas } from '@trellis/openapi/document';
import { isTree, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/json';

/** Keywords that lead to other schemas. */
interface Ways {
  /** Those whose value is a schema. */
  readonly one: readonly string[];
  /** Those whose value is a list or a map of schemas. */
  readonly several: readonly string[];
}

/** To schemas of the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE: Ways = {
  one: ['not', 'if', 'then', 'else'],
  several: ['allOf', 'anyOf', 'oneOf', 'dependentSchemas'],
};

/** To schemas whose types TypeScript needs at once, unlike those of properties. */
const IN_TYPES: Ways = {
  one: [...IN_PLACE.one, 'items'],
  several: [...IN_PLACE.several, 'prefixItems'],
};

/** The pointers of the schemas that the one at a pointer leads to. */
const nextOf = (document: unknown, pointer: string, ways: Ways): string[] => {
  const schema = valueAt(document, pointer);
  const target = refAt(document, pointer);
  const several = ways.several.flatMap((keyword) =>
    Object.keys(ownMember(schema, keyword) ?? {}).map((name) => pointerTo(keyword, name)),
  );
  const one = ways.one.filter((keyword) => isTree(ownMember(schema, keyword))).map((key) => pointerTo(key));
  return [...(target === undefined ? [] : [target]), ...[...several, ...one].map((step) => pointer + step)];
};

/** A schema on the way, and those that it leads to and that have not been looked at. */
interface Step {
  readonly pointer: string;
  readonly rest: string[];
}

/** The pointers of the references that close a circle: without them there would be none. */
const findClosing = (document: unknown, ways: Ways): ReadonlySet<string> => {
  const found = new Set<string>();
  const visited = new Set<string>();
  const onWay = new Set<string>();

  const visit = (start: string): void => {
    const way: Step[] = [];
    const enter = (pointer: string): void => {
      visited.add(pointer);
      onWay.add(pointer);
      way.push({ pointer, rest: nextOf(document, pointer, ways) });
    };
    /** Keywords only lead deeper, so a circle has a reference. */
    const close = (pointer: string): void => {
      const circle = way.slice(way.findLastIndex((step) => step.pointer === pointer));
      const next = [...circle.slice(1).map((step) => step.pointer), pointer];
      const last = circle.findLast((step, index) => refAt(document, step.pointer) === next[index]);
      found.add((last ?? circle[0])?.pointer ?? pointer);
    };
    enter(start);
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const next = step.rest.shift();
      if (next === undefined) {
        onWay.delete(step.pointer);
        way.pop();
      } else if (onWay.has(next)) close(next);
      else if (!visited.has(next)) enter(next);
    }
  };

  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    if (isSchema && !visited.has(pointer)) visit(pointer);
    return object;
  });
  return found;
};

/** The references by which a schema applies itself to the same value again. */
export const findEndless = (document: unknown): ReadonlySet<string> => findClosing(document, IN_PLACE);

/**
 * A document in which every schema has a type. TypeScript refuses a type that needs itself at once, so what closes a
 * circle may be anything: a list of such lists is a list of `unknown`.
 */
export const withoutCircles = (document: unknown): unknown => {
  const closing = findClosing(document, IN_TYPES);
  return rewriteSchemas(document, (object, pointer) => {
    if (!closing.has(pointer)) return object;
    const { $ref: _closing, ...rest } = object;
    return rest;
  });
};

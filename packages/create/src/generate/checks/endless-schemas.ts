/** Finds schemas that lead back to themselves: they never come to an end, or have no type in TypeScript. */
import { rewriteSchemas } from '@trellis/openapi/document';
import { refAt } from '@trellis/openapi/json';
import { nextPlaces } from '@trellis/openapi/schema';

/** Keywords that lead to schemas of the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'dependentSchemas', 'not', 'if', 'then', 'else'];

/** Keywords that lead to schemas whose types TypeScript needs at once, unlike those of properties. */
const IN_TYPES = [...IN_PLACE, 'prefixItems', 'items'];

/** The pointers of the references that close a circle: without them there would be none. */
const findClosing = (document: unknown, keywords: readonly string[]): ReadonlySet<string> => {
  const found = new Set<string>();
  const visited = new Set<string>();

  /** Keywords only lead deeper, so a circle has a reference. */
  const close = (circle: readonly string[]): void => {
    const last = circle.findLast((at, index) => refAt(document, at) === (circle[index + 1] ?? circle[0]));
    if (last !== undefined) found.add(last);
  };
  const visit = (pointer: string, before: readonly string[]): void => {
    if (visited.has(pointer)) return;
    visited.add(pointer);
    const way = [...before, pointer];
    for (const next of nextPlaces(document, pointer, keywords))
      if (way.includes(next)) close(way.slice(way.indexOf(next)));
      else visit(next, way);
  };

  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    if (isSchema) visit(pointer, []);
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

/** Finds schemas that lead back to themselves: they never come to an end, or have no type in TypeScript. */
import { rewriteSchemas } from '@trellis/openapi/internal/document';
import { isTree, oncePerKey, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/internal/json';
import type { Fault } from './complaints.ts';

/** Keywords to schemas of the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'dependentSchemas', 'not', 'if', 'then', 'else'];

/** Keywords whose types TypeScript needs at once, unlike the types of properties. */
const IN_TYPES = [...IN_PLACE, 'prefixItems', 'items'];

/** Keywords whose value is a list or a map of schemas. */
const SEVERAL = new Set(['allOf', 'anyOf', 'oneOf', 'dependentSchemas', 'prefixItems']);

/** The pointers of the references in the schema at a pointer: its own, and those below some keywords. */
const refsAt = (document: unknown, pointer: string, keywords: readonly string[]): string[] => {
  const schema = valueAt(document, pointer);
  const below = keywords.flatMap((keyword) => {
    const value = ownMember(schema, keyword);
    if (!isTree(value)) return [];
    const at = pointer + pointerTo(keyword);
    return SEVERAL.has(keyword) ? Object.keys(value).map((name) => at + pointerTo(name)) : [at];
  });
  return [
    ...(refAt(document, pointer) === undefined ? [] : [pointer]),
    ...below.flatMap((at) => refsAt(document, at, keywords)),
  ];
};

/** The pointers of the references that close a circle: without them there would be none. */
const findClosing = (document: unknown, keywords: readonly string[]): ReadonlySet<string> => {
  const refsIn = oncePerKey((pointer: string) => refsAt(document, pointer, keywords));
  const found = new Set<string>();
  const visited = new Map<string, 'on the way' | 'done'>();
  const visit = (ref: string): void => {
    visited.set(ref, 'on the way');
    for (const next of refsIn(refAt(document, ref) ?? ''))
      if (!visited.has(next)) visit(next);
      else if (visited.get(next) === 'on the way') found.add(ref);
    visited.set(ref, 'done');
  };
  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    if (isSchema && refAt(document, pointer) !== undefined && !visited.has(pointer)) visit(pointer);
    return object;
  });
  return found;
};

/** The references by which a schema applies itself to the same value again. */
export const findEndless = (document: unknown): Fault[] =>
  [...findClosing(document, IN_PLACE)].map((pointer) => ({
    pointer: pointer + pointerTo('$ref'),
    message:
      'applies its own schema to the same value again; values that get there are refused, so write the schema out',
  }));

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

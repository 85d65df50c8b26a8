import {
  holds,
  isBigint,
  isTree,
  ownMember,
  pointerTo,
  refAt,
  valueAt,
} from '@trellis/openapi/internal/json';
import { subtypesAt } from '@trellis/openapi/internal/schema';

/** Whether the types have literals for the constants of a schema. They do not if a number cannot hold a constant. */
const hasLiterals = (schema: unknown): boolean => {
  const constants = [ownMember(schema, 'enum'), ownMember(schema, 'const')];
  return constants.some((each) => each !== undefined) && !holds(constants, isBigint);
};

/** Whether the types promise a bigint. */
export const isInt64 = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'int64' &&
  [ownMember(schema, 'type')].flat().includes('integer') &&
  !hasLiterals(schema);

const isNeeded = (schema: unknown): boolean =>
  isInt64(schema) || ownMember(schema, 'readOnly') === true || ownMember(schema, 'default') !== undefined;

/** The pointers of a schema's parts, of its target, and of its subtypes. */
const belowSchema = (document: unknown, at: string): string[] => {
  const schema = valueAt(document, at);
  if (!isTree(schema)) return [];
  const parts = Object.keys(schema).map((key) => at + pointerTo(key));
  const subtypes = [...(subtypesAt(document, at)?.named.values() ?? [])].flat();
  return parts.concat(refAt(document, at) ?? [], subtypes);
};

/** A schema with more parts is taken for a recursive one, without a search through all of them. */
const MOST_PARTS = 500;

/** Whether a schema refers, or may refer, to itself, directly or by its parts. */
export const isRecursive = (document: unknown, pointer: string): boolean => {
  const found = new Set(belowSchema(document, pointer));
  for (const at of found) {
    if (at === pointer || found.size > MOST_PARTS) return true;
    for (const part of belowSchema(document, at)) found.add(part);
  }
  return false;
};

/**
 * Finds whether values of a schema need decoding at all, or any part of them does. Most do not. It has no recursion, which
 * would overflow the call stack where a thousand schemas each refer to the next one.
 */
export const createNeedsDecoding = (document: unknown) => {
  const known = new Map<string, boolean>();

  return (pointer: string): boolean => {
    /** The pointers found so far, each with its parent. Iterating a map includes entries that are added meanwhile. */
    const parents = new Map<string, string | undefined>([[pointer, undefined]]);
    for (const at of parents.keys()) {
      if (known.get(at) ?? isNeeded(valueAt(document, at))) {
        for (let each: string | undefined = at; each !== undefined; each = parents.get(each))
          known.set(each, true);
        return true;
      }
      if (known.has(at)) continue;
      for (const part of belowSchema(document, at)) if (!parents.has(part)) parents.set(part, at);
    }
    for (const each of parents.keys()) known.set(each, false);
    return false;
  };
};

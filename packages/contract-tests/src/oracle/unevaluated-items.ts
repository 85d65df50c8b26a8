import type { FuncKeywordDefinition } from 'ajv';
import type { View } from '../document/view.ts';
import { isSchema, type Schema } from '../values/schema.ts';
import type { ExactOf } from './exact-numbers.ts';

/**
 * `unevaluatedItems` (JSON Schema 2020-12, section 11.2). Where there is `contains`, Ajv takes all items for evaluated;
 * they are those that `contains` accepts (section 10.3.1.3).
 */
export const createUnevaluatedItems = (
  resolve: View['resolve'],
  accepts: (schema: Schema, value: unknown) => boolean,
  exactOf: ExactOf,
): FuncKeywordDefinition => {
  /** Whether a schema, or one that it applies to the same list, evaluates an item. */
  const evaluates = (schema: Schema, list: readonly unknown[], index: number, seen: Set<Schema>): boolean => {
    if (typeof schema === 'boolean' || seen.has(schema)) return false;
    const isBeside = seen.size === 0;
    seen.add(schema);
    const { $ref, prefixItems = [], items, contains, unevaluatedItems } = schema;
    const { allOf = [], anyOf = [], oneOf = [], if: when, then = true, else: otherwise = true } = schema;
    if (items !== undefined || index < prefixItems.length) return true;
    if (!isBeside && unevaluatedItems !== undefined) return true;
    if (contains !== undefined && accepts(contains, list[index])) return true;
    const target = $ref === undefined ? [] : [resolve($ref)].filter(isSchema);
    const taken = when === undefined ? [] : accepts(when, list) ? [when, then] : [otherwise];
    const fitting = [...anyOf, ...oneOf].filter((each) => accepts(each, list));
    return [...target, ...allOf, ...taken, ...fitting].some((each) => evaluates(each, list, index, seen));
  };

  return {
    keyword: 'unevaluatedItems',
    type: 'array',
    compile: (rest: Schema, parent) => (value, context) => {
      const list = exactOf(value, context);
      if (!Array.isArray(list) || !isSchema(parent)) return true;
      return list.every((item, index) => evaluates(parent, list, index, new Set()) || accepts(rest, item));
    },
    error: { message: 'must NOT have items that nothing else evaluates' },
  };
};

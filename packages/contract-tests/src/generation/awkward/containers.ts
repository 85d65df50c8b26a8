import { toJson } from '@trellis/openapi/json';
import { isObject, type Json } from '../../values/json.ts';
import type { Schema, SchemaObject } from '../../values/schema.ts';
import type { Notable, Variation } from './notable.ts';

/** The most characters of a value, so that it stays below the limits that services have for bodies. */
export const LARGEST = 80_000;

const LONG_LISTS = [100, 1000];

/** Lists of every notable length. */
export const notableLists = (
  { minItems = 0, maxItems, items = true, prefixItems = [] }: SchemaObject,
  /** `undefined` if there can be none. */
  itemOf: (schema: Schema, count: number) => Json | undefined,
): Notable[] => {
  const lengths = [
    ...new Set([minItems, 0, 1, 2, ...(maxItems === undefined ? LONG_LISTS : [maxItems - 1, maxItems])]),
  ].filter((length) => length >= minItems && length <= (maxItems ?? 1000) && length <= 1000);
  return lengths.flatMap((length): Notable[] => {
    const value: Json[] = [];
    for (let index = 0; index < length; index += 1) {
      const item = itemOf(prefixItems[index] ?? items, index);
      if (item === undefined) return [];
      value.push(item);
    }
    if (toJson(value).length > LARGEST) return [];
    return [{ what: `of ${length} items`, value, mayRefuse: maxItems === undefined && length >= 1000 }];
  });
};

/** Names that objects inherit, or that have a meaning in queries and paths; some parsers refuse the first of them. */
const STRANGERS: readonly { readonly name: string; readonly mayRefuse: boolean }[] = [
  { name: 'stranger', mayRefuse: false },
  ...['__proto__', 'constructor'].map((name) => ({ name, mayRefuse: true })),
  ...['toString', '', '$where', 'a.b[0]', '🌱 é"\\', 'x'.repeat(300)].map((name) => ({
    name,
    mayRefuse: false,
  })),
];

/** Objects with a member that the schema does not name. */
export const withStrangers = (place: string, value: Json): Variation[] =>
  isObject(value)
    ? STRANGERS.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name, mayRefuse }) => ({
        place,
        what: `with a member ${JSON.stringify(name.slice(0, 20))} that is not declared`,
        leaf: 'stranger',
        mayRefuse,
        put: (base, leaf) =>
          Object.fromEntries([...Object.entries(isObject(base) ? base : value), [name, leaf]]),
      }))
    : [];

const nested = (depth: number): Json =>
  Array.from({ length: depth }).reduce<Json>((inner) => ({ a: [inner] }), 'a');

/** Objects for a schema that does not say what is in them. */
export const NESTED: readonly Notable[] = [
  { what: 'as an object in lists in objects', value: nested(5) },
  { what: 'as an object 100 levels deep', value: nested(50), mayRefuse: true },
];

/** Values of all JSON types, for a schema that says nothing. */
export const ANYTHING: readonly Notable[] = [
  ...[null, false, 0, -1.5, '', [], {}, [null], { a: null }].map((value) => ({
    what: `as ${toJson(value)}`,
    value,
  })),
  ...NESTED,
];

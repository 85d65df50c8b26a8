import { toJson } from '@trellis/openapi/internal/json';
import type { Json, Members } from '../../values/json.ts';
import type { Schema, SchemaObject } from '../../values/schema.ts';
import type { Location, Notable, Variation } from './notable.ts';

/** The longest JSON of a value, to stay below body limits of services. */
export const LARGEST = 80_000;

const LONG_LISTS = [100, 1000];

/** Lists of each notable length. */
export const notableLists = (
  { minItems = 0, maxItems, items = true, prefixItems = [] }: SchemaObject,
  /** Returns `undefined` if no item can be made. */
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

/** Inherited names, and names with a meaning in queries and paths. */
const STRANGERS = ['stranger', 'toString', '', '$where', 'a.b[0]', '🌱 é"\\', 'x'.repeat(300)];
/** Names that some parsers reject. */
const DISPUTED = ['__proto__', 'constructor'];

/** Objects with one undeclared member. */
export const withStrangers = (value: Members, { place, path }: Location): Variation[] =>
  [...STRANGERS, ...DISPUTED]
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({
      place,
      path: [...path, name],
      what: `with a member ${JSON.stringify(name.slice(0, 20))} that is not declared`,
      leaf: 'stranger',
      mayRefuse: DISPUTED.includes(name),
    }));

const nested = (depth: number): Json =>
  Array.from({ length: depth }).reduce<Json>((inner) => ({ a: [inner] }), 'a');

/** Objects for a schema without declared members. */
export const NESTED: readonly Notable[] = [
  { what: 'as an object in lists in objects', value: nested(5) },
  { what: 'as an object 100 levels deep', value: nested(50), mayRefuse: true },
];

/** Values of all JSON types, for an empty schema. */
export const ANYTHING: readonly Notable[] = [
  ...[null, false, 0, -1.5, '', [], {}, [null], { a: null }].map((value) => ({
    what: `as ${toJson(value)}`,
    value,
  })),
  ...NESTED,
];

import { isTree } from '@trellis/openapi/json';
import type { Oracle } from '../../oracle/oracle.ts';
import { isObject, type Json, putAt } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import type { Notable } from './notable.ts';

const MOST_NODES = 200;
/** RFC 8259, section 9 lets a parser limit the depth of nesting. */
const DEPTHS: readonly (readonly [depth: number, mayRefuse: boolean])[] = [
  [5, false],
  [50, true],
];

/** The ways from a value to the objects within it, the nearest first. */
const waysInto = (value: Json): (readonly string[])[] => {
  const found: [way: readonly string[], Json][] = [[[], value]];
  for (const [way, here] of found) {
    if (found.length > MOST_NODES) break;
    for (const [key, item] of Object.entries<Json>(isTree(here) ? here : {}))
      if (isTree(item)) found.push([[...way, key], item]);
  }
  return found.slice(1).map(([way]) => way);
};

/** Makes a function that puts a value into itself again and again, where its schema is recursive. */
export const createNesting =
  (accepts: Oracle['accepts']) =>
  (schema: Schema, value: Json): Notable[] => {
    if (!isObject(value) || typeof schema === 'boolean') return [];
    const nest = (way: readonly string[], depth: number): Json =>
      Array.from({ length: depth }).reduce<Json>((inner) => putAt(value, way, inner), value);
    // What takes the value three times over takes it any number of times.
    const way = waysInto(value).find((each) => accepts(schema, nest(each, 3)));
    if (!way) return [];
    return DEPTHS.map(([depth, mayRefuse]) => ({
      what: `${depth} levels deep`,
      value: nest(way, depth),
      mayRefuse,
    }));
  };

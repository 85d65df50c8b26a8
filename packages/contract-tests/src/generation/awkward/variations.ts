import { memberPlace, toJson } from '@trellis/openapi/internal/json';
import type { Oracle } from '../../oracle/oracle.ts';
import { isObject, type Json, pick, without } from '../../values/json.ts';
import { memberSchemasOf, type Schema, type SchemaObject } from '../../values/schema.ts';
import type { Flatten } from '../flatten.ts';
import type { PlainOf } from '../plain.ts';
import { ANYTHING, NESTED, notableLists, withStrangers } from './containers.ts';
import type { Notable, Variation } from './notable.ts';
import { notableNumbers } from './numbers.ts';
import { notableTexts } from './texts.ts';

/** The most branches of a union that are tried. */
const MOST_BRANCHES = 12;
/** The most places of a value that are varied. */
const MOST_PLACES = 80;

/** Creates a function that lists the variations of a schema, starting from a plain value with all optional members. */
export const createVariations = (
  flatten: Flatten,
  { accepts }: Pick<Oracle, 'accepts'>,
  plainOf: PlainOf,
) => {
  const notableOf = (flat: SchemaObject, value: Json): Notable[] => {
    if (flat.enum)
      return flat.enum.map((each) => ({
        what: `as ${JSON.stringify(typeof each === 'string' ? each : toJson(each))}`,
        value: each,
      }));
    const types = [flat.type ?? []].flat();
    const small: Notable[] = [
      ...(types.includes('null') ? [{ what: 'null', value: null }] : []),
      ...(types.includes('boolean') ? [true, false].map((each) => ({ what: `${each}`, value: each })) : []),
    ];
    return [
      ...small,
      ...(typeof value === 'string' && types.includes('string') ? notableTexts(flat) : []),
      ...(types.includes('integer') || types.includes('number') ? notableNumbers(flat) : []),
      ...(Array.isArray(value)
        ? notableLists(flat, (item, count) => plainOf(item, { isFull: false, count }))
        : []),
      ...(isObject(value) ? NESTED : []),
      ...(types.length === 0 && !isObject(value) && !Array.isArray(value) ? ANYTHING : []),
    ];
  };

  return (schema: Schema, full: Json, root: string): Variation[] => {
    let places = 0;

    const walk = (here: Schema, value: Json, place: string): Variation[] => {
      places += 1;
      if (places > MOST_PLACES) return [];
      const alternatives = flatten(here);
      const flat = alternatives.find((each) => accepts(each, value));
      if (!flat) return [];
      const own = notableOf(flat, value).flatMap(
        ({ what, value: leaf, written, mayRefuse = false }): Variation[] =>
          accepts(here, leaf) ? [{ place, what, leaf, written, mayRefuse, put: (_, put) => put }] : [],
      );
      return [
        ...inBranches(here, flat, place),
        ...own,
        ...withStrangers(place, value),
        ...inMembers(flat, value, place),
        ...inItems(flat, value, place),
      ];
    };

    const inMembers = (flat: SchemaObject, value: Json, place: string): Variation[] => {
      if (!isObject(value)) return [];
      const required = new Set(flat.required ?? []);
      return Object.entries(value).flatMap(([name, item]) => {
        const there = memberPlace(place, name);
        const put =
          (child: Variation['put']): Variation['put'] =>
          (base, leaf, isLean) => {
            const members = isObject(base) ? base : value;
            const kept = isLean ? pick(members, (each) => each === name || required.has(each)) : members;
            return { ...kept, [name]: child(members[name] ?? item, leaf, isLean) };
          };
        const gone: Variation = {
          place: there,
          what: 'left out',
          leaf: null,
          mayRefuse: false,
          put: (base) => (isObject(base) ? without(base, name) : base),
        };
        const alone: Variation = {
          place: there,
          what: 'as the only optional member',
          leaf: item,
          mayRefuse: false,
          put: put((base) => base),
        };
        const inside = memberSchemasOf(flat, name)
          .slice(0, 1)
          .flatMap((member) => walk(member, item, there))
          .map((variation) => ({ ...variation, put: put(variation.put) }));
        return required.has(name) ? inside : [alone, gone, ...inside];
      });
    };

    const inItems = (
      { prefixItems = [], items = true }: SchemaObject,
      value: Json,
      place: string,
    ): Variation[] => {
      const [item] = Array.isArray(value) ? value : [];
      if (item === undefined) return [];
      return walk(prefixItems[0] ?? items, item, `${place}[0]`).map((variation) => ({
        ...variation,
        put: (base, leaf, isLean) => {
          const list: readonly Json[] = Array.isArray(base) && base.length > 0 ? base : [item];
          return list.with(0, variation.put(list[0] ?? item, leaf, isLean));
        },
      }));
    };

    const inBranches = (here: Schema, current: SchemaObject, place: string): Variation[] =>
      flatten(here)
        .slice(0, MOST_BRANCHES)
        .filter((other) => other !== current)
        .flatMap((other, index) => {
          const branch = plainOf(other, { isFull: true, count: 0 });
          if (branch === undefined || !accepts(here, branch)) return [];
          const whole: Variation = {
            place,
            what: `as branch ${index + 2} of its union`,
            leaf: branch,
            mayRefuse: false,
            put: (_, leaf) => leaf,
          };
          const inside = isObject(branch) ? inMembers(other, branch, place) : [];
          return [
            whole,
            ...inside.map(
              (variation): Variation => ({
                ...variation,
                what: `${variation.what} in branch ${index + 2}`,
                put: (_, leaf, isLean) => variation.put(branch, leaf, isLean),
              }),
            ),
          ];
        });

    return walk(schema, full, root);
  };
};

import { memberPlace, toJson } from '@trellis/openapi/internal/json';
import type { Judge } from '../schemas/flatten.ts';
import { isObject, type Json, type Members, putAt } from '../values/json.ts';
import { memberSchemasOf, type Schema, type SchemaObject } from '../values/schema.ts';
import { edgeNumbers } from './edge-numbers.ts';
import { type EdgeCase, edgeTexts, type Location, type Variation } from './edge-texts.ts';
import type { PlainOf } from './plain.ts';

/** The longest JSON of a value, to stay below body limits of services. */
export const LARGEST = 80_000;

const LONG_LISTS = [100, 1000];

/** Lists of each length that services mishandle. */
const edgeLists = (
  { minItems = 0, maxItems, items = true, prefixItems = [] }: SchemaObject,
  /** Returns `undefined` if no item can be made. */
  itemOf: (schema: Schema, count: number) => Json | undefined,
): EdgeCase[] => {
  const lengths = [
    ...new Set([minItems, 0, 1, 2, ...(maxItems === undefined ? LONG_LISTS : [maxItems - 1, maxItems])]),
  ].filter((length) => length >= minItems && length <= (maxItems ?? 1000) && length <= 1000);
  return lengths.flatMap((length): EdgeCase[] => {
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
const withStrangers = (value: Members, { place, path }: Location): Variation[] =>
  [...STRANGERS, ...DISPUTED]
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({
      place,
      path: [...path, name],
      what: `with a member ${JSON.stringify(name.slice(0, 20))} that is not declared`,
      value: 'stranger',
      mayRefuse: DISPUTED.includes(name),
    }));

const nested = (depth: number): Json =>
  Array.from({ length: depth }).reduce<Json>((inner) => ({ a: [inner] }), 'a');

/** Objects for a schema without declared members. */
const NESTED: readonly EdgeCase[] = [
  { what: 'as an object in lists in objects', value: nested(5) },
  { what: 'as an object 100 levels deep', value: nested(50), mayRefuse: true },
];

/** Values of all JSON types, for an empty schema. */
const ANYTHING: readonly EdgeCase[] = [
  ...[null, false, 0, -1.5, '', [], {}, [null], { a: null }].map((value) => ({
    what: `as ${toJson(value)}`,
    value,
  })),
  ...NESTED,
];

/** In a branch with all its members, no member is alone. */
const ALONE = 'as the only optional member';
const MOST_BRANCHES = 12;
const MOST_PLACES = 80;

interface Walk extends Judge {
  readonly plainOf: PlainOf;
  places: number;
}

const edgeCasesOf = (flat: SchemaObject, value: Json, plainOf: PlainOf): EdgeCase[] => {
  const nameOf = (each: Json): string =>
    `as ${JSON.stringify(typeof each === 'string' ? each : toJson(each))}`;
  if (flat.enum) return flat.enum.map((each) => ({ what: nameOf(each), value: each }));
  const plain = (each: Json): EdgeCase => ({ what: `${each}`, value: each });
  const types = [flat.type ?? []].flat();
  const isEmpty = types.length === 0 && !isObject(value) && !Array.isArray(value);
  return [
    ...(types.includes('null') ? [plain(null)] : []),
    ...(types.includes('boolean') ? [plain(true), plain(false)] : []),
    ...(typeof value === 'string' && types.includes('string') ? edgeTexts(flat) : []),
    ...(types.includes('integer') || types.includes('number') ? edgeNumbers(flat) : []),
    ...(Array.isArray(value)
      ? edgeLists(flat, (item, count) => plainOf(item, { isFull: false, count }))
      : []),
    ...(isObject(value) ? NESTED : []),
    ...(isEmpty ? ANYTHING : []),
  ];
};

const variationsAt = (walk: Walk, schema: Schema, value: Json, at: Location): Variation[] => {
  walk.places += 1;
  const flat = walk.flatten(schema).find((each) => walk.accepts(each, value));
  if (walk.places > MOST_PLACES || !flat) return [];
  const cases = edgeCasesOf(flat, value, walk.plainOf).filter((each) => walk.accepts(schema, each.value));
  return [
    ...inBranches(walk, schema, flat, at),
    ...cases.map((each) => ({ ...each, ...at })),
    ...(isObject(value) ? [...withStrangers(value, at), ...inMembers(walk, flat, value, at)] : []),
    ...(Array.isArray(value) ? inItems(walk, flat, value, at) : []),
  ];
};

const inMembers = (walk: Walk, flat: SchemaObject, value: Members, at: Location): Variation[] =>
  Object.entries(value).flatMap(([name, member]) => {
    const there = { place: memberPlace(at.place, name), path: [...at.path, name] };
    const inside = memberSchemasOf(flat, name)
      .slice(0, 1)
      .flatMap((declared) => variationsAt(walk, declared, member, there));
    if (flat.required?.includes(name)) return inside;
    const alone = { ...there, what: ALONE, value: member };
    return [alone, { ...there, what: 'left out', value: undefined }, ...inside];
  });

const inItems = (
  walk: Walk,
  { prefixItems = [], items = true }: SchemaObject,
  [item]: readonly Json[],
  { place, path }: Location,
): Variation[] => {
  const first = { place: `${place}[0]`, path: [...path, '0'] };
  return item === undefined ? [] : variationsAt(walk, prefixItems[0] ?? items, item, first);
};

const inBranches = (walk: Walk, schema: Schema, current: SchemaObject, at: Location): Variation[] =>
  walk
    .flatten(schema)
    .slice(0, MOST_BRANCHES)
    .filter((other) => other !== current)
    .flatMap((other, index) => {
      const branch = walk.plainOf(other, { isFull: true, count: 0 });
      if (branch === undefined || !walk.accepts(schema, branch)) return [];
      const whole = { ...at, what: `as branch ${index + 2} of its union`, value: branch };
      const members = isObject(branch) ? inMembers(walk, other, branch, { place: at.place, path: [] }) : [];
      const inside = members
        .filter(({ written, what }) => written === undefined && what !== ALONE)
        .map((variation) => ({
          ...variation,
          path: at.path,
          what: `${variation.what} in branch ${index + 2}`,
          value: putAt(branch, variation.path, variation.value),
        }));
      return [whole, ...inside];
    });

/** Creates a function that lists the variations of a schema, starting from a plain value with all optional members. */
export const createVariations =
  (judge: Judge, plainOf: PlainOf) =>
  (schema: Schema, full: Json, root: string): Variation[] =>
    variationsAt({ ...judge, plainOf, places: 0 }, schema, full, { place: root, path: [] });

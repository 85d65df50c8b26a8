import { toJson } from '@trellis/openapi/internal/json';
import { isObject, type Json, present } from '../values/json.ts';
import { compare, isNumeric, multiplesAround, type Numeric } from '../values/numbers.ts';
import type { Schema, SchemaObject } from '../values/schema.ts';

/** A value with one thing wrong. */
export interface Violation {
  /** The name in reports: `body.tags[3] missing`. */
  readonly name: string;
  /** Equal for violations that differ only in an index or a generated name: `body.tags[] missing`. */
  readonly kind: string;
  /** The place that a clear rejection names: the wrong place, or the union around it. */
  readonly named: string;
  readonly value: Json;
}

/** Creates a violation at a place. */
export const violation = (place: string, what: string, value: Json): Violation => ({
  name: `${place} ${what}`,
  kind: `${place} ${what}`,
  named: place,
  value,
});

/** A keyword to break. */
export interface Fault {
  readonly keyword: keyof SchemaObject;
  readonly what: string;
  /** Values that may break it. A value that breaks nothing else is preferred. */
  readonly values: readonly Json[];
}

/** Makes a fault. */
export const fault = (keyword: Fault['keyword'], what: string, ...values: readonly Json[]): Fault => ({
  keyword,
  what,
  values,
});

/** The longest generated value, whatever the schema allows: services have limits too. */
export const LONGEST = 10_000;

/** Derives violations from a value that a flat schema accepts. */
export type FindIn<V> = (flat: SchemaObject, value: V, place: string) => Violation[];

/** Lists the ways to break the keywords of a flat schema, starting from a valid value. */
export type FaultsOf<V> = (flat: SchemaObject, value: V) => Fault[];

/** Samples values of a schema; returns [] if no value can be generated. */
export type SamplesOf = (schema: Schema, numRuns: number) => Json[];

/** Swaps the case of every letter. */
export const inOtherCase = (text: string): string =>
  [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');

/** A number that a lenient parser would take for the value. */
const numberLike = (value: Json): Numeric => {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' && /^-?[1-9]\d{0,14}$/.test(value) ? Number(value) : 41;
};

/** A text that a lenient parser would take for the value. */
const textLike = (value: Json): string => {
  if (typeof value === 'boolean' || isNumeric(value)) return toJson(value);
  const [only] = Array.isArray(value) ? value : [];
  return typeof only === 'string' ? only : '41';
};

const fractionsLike = (value: Json): Json[] =>
  typeof value === 'number' ? [value + 0.5, value - 0.5, 41.5] : [41.5];

/** A value of each JSON type, as near to a right value as can be. */
const SAMPLES: readonly (readonly [types: readonly string[], name: string, like: (value: Json) => Json[]])[] =
  [
    [['null'], 'null', () => [null]],
    [['boolean'], 'a boolean', () => [true]],
    [['number'], 'a fraction', fractionsLike],
    [['number', 'integer'], 'a number', (value) => [numberLike(value)]],
    [['string'], 'a string', (value) => [textLike(value)]],
    [['array'], 'an array', () => [[]]],
    [['object'], 'an object', () => [{}]],
  ];

/** A value of every other JSON type; in place of an object, a list of it too. */
export const wrongTypes: FaultsOf<Json> = ({ type }, valid) => {
  if (type === undefined) return [];
  const right = [type].flat();
  const others = SAMPLES.filter(([types]) => !types.some((each) => right.includes(each)));
  return [
    ...others.map(([, name, like]) => fault('type', `as ${name}`, ...like(valid))),
    ...(isObject(valid) && !right.includes('array') ? [fault('type', 'in a list', [valid])] : []),
  ];
};

const larger = (one: Numeric, other: Numeric): Numeric => (compare(one, other) < 0 ? other : one);

const besideText = (value: string): (readonly [what: string, value: string])[] => [
  ['in another case', inOtherCase(value)],
  ['with a blank after it', `${value} `],
  ['empty', ''],
];

/** Values outside the enum: for a large integer, its neighbours, which a double would confuse with it. */
export const outsideEnum: FaultsOf<Json> = ({ enum: allowed }, value) => {
  if (!allowed) return [];
  if (typeof value === 'bigint')
    return [value - 1n, value + 1n].map((wrong) => fault('enum', `as ${wrong}, outside its enum`, wrong));
  if (typeof value === 'number') {
    const largest = allowed.filter(isNumeric).reduce(larger, value);
    return [fault('enum', 'outside its enum', typeof largest === 'bigint' ? largest + 1n : largest + 1)];
  }
  return [
    fault('enum', 'outside its enum', `${toJson(value)}, not`),
    ...(typeof value === 'string' ? besideText(value) : []).map(([what, wrong]) =>
      fault('enum', `outside its enum, ${what}`, wrong),
    ),
  ];
};

const BITS: ReadonlyMap<string, bigint> = new Map([
  ['int32', 32n],
  ['int64', 64n],
]);

/** A number and a step away from it, without rounding a bigint. */
const away = (from: Numeric, step: 1 | -1): Numeric =>
  typeof from === 'bigint' ? from + BigInt(step) : from + step;

const besideMultiple = (value: Numeric, step: Numeric): Numeric[] => {
  const half = Number(step) / 2;
  const near = typeof value === 'bigint' || step > 1 ? [] : [value + half, value - half];
  return [...near, away(value, 1), away(value, -1)];
};

const BOUNDS = [
  ['minimum', 'below', -1],
  ['maximum', 'above', 1],
] as const;

/** Integers just beyond a format, and one whose last bits are 0. */
const beyondFormat = (format: string, bits: bigint): Fault[] => [
  fault('format', `below ${format}`, -(2n ** (bits - 1n)) - 1n),
  fault('format', `above ${format}`, 2n ** (bits - 1n)),
  fault('format', `far above ${format}`, 2n ** bits),
];

/** Numbers just beyond each bound, or not a multiple of the step. */
export const wrongNumbers: FaultsOf<Numeric> = (flat, value) => {
  const { multipleOf, exclusiveMinimum, exclusiveMaximum, format = '' } = flat;
  const bits = BITS.get(format);
  return [
    ...(bits === undefined ? [] : beyondFormat(format, bits)),
    ...BOUNDS.flatMap(([keyword, where, direction]) => {
      const bound = flat[keyword];
      if (bound === undefined) return [];
      // Also the next multiples of the step, so that the bound is all that they break.
      const beyond = [away(bound, direction), ...multiplesAround(bound, multipleOf ?? 1, 4)];
      return [fault(keyword, `${where} ${bound}`, ...beyond)];
    }),
    ...present(
      exclusiveMinimum !== undefined &&
        fault('exclusiveMinimum', `at ${exclusiveMinimum}, which is excluded`, exclusiveMinimum),
      exclusiveMaximum !== undefined &&
        fault('exclusiveMaximum', `at ${exclusiveMaximum}, which is excluded`, exclusiveMaximum),
      multipleOf !== undefined &&
        fault('multipleOf', `no multiple of ${multipleOf}`, ...besideMultiple(value, multipleOf)),
    ),
  ];
};

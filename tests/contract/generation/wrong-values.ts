import { type Json, toJson } from './json.ts';
import type { SchemaObject } from './schema.ts';

/** A value with one thing wrong with it. */
export interface Violation {
  /** For the report: `body.name gone`. */
  readonly name: string;
  /** What a refusal has to name: `body.name`. */
  readonly place: string;
  readonly value: Json;
}

/** Finds what can be wrong with a value that a flat schema accepts. */
export type FindIn<V> = (flat: SchemaObject, value: V, place: string) => Violation[];

/** One of each JSON type; the string and the fraction are those that a lenient reader would take for a number. */
const SAMPLES: readonly (readonly [types: readonly string[], name: string, value: Json])[] = [
  [['null'], 'null', null],
  [['boolean'], 'a boolean', true],
  [['number'], 'a fraction', 41.5],
  [['number', 'integer'], 'a number', 41],
  [['string'], 'a string', '41'],
  [['array'], 'an array', []],
  [['object'], 'an object', {}],
];

/** How a message names a member of what `place` names. */
export const memberPlace = (place: string, name: string): string => {
  if (/^[a-z_$][\w$]*$/i.test(name)) return `${place}.${name}`;
  return `${place}[${/^\d+$/.test(name) ? name : JSON.stringify(name)}]`;
};

/** Every other JSON type. */
export const wrongTypes: FindIn<Json> = ({ type }, _value, place) => {
  if (type === undefined) return [];
  const right = [type].flat();
  return SAMPLES.filter(([types]) => !types.some((each) => right.includes(each))).map(([, name, value]) => ({
    name: `${place} as ${name}`,
    place,
    value,
  }));
};

/** A value that the enum does not have. */
export const outsideEnum: FindIn<Json> = ({ enum: allowed }, value, place) => {
  if (!allowed) return [];
  const numbers = allowed.filter((each) => typeof each === 'number');
  const stranger = typeof value === 'number' ? Math.max(...numbers) + 1 : `${toJson(value)}, not`;
  return [{ name: `${place} outside its enum`, place, value: stranger }];
};

/** Text past its lengths, or of no such form. */
export const wrongTexts: FindIn<string> = ({ format, pattern, minLength = 0, maxLength }, _value, place) => [
  ...(minLength > 0
    ? [{ name: `${place} shorter than ${minLength}`, place, value: '🌱'.repeat(minLength - 1) }]
    : []),
  ...(maxLength === undefined
    ? []
    : [{ name: `${place} longer than ${maxLength}`, place, value: 'x'.repeat(maxLength + 1) }]),
  ...(format === undefined ? [] : [{ name: `${place} in no ${format} format`, place, value: '\u0001' }]),
  ...(pattern === undefined ? [] : [{ name: `${place} off its pattern`, place, value: '\u0001' }]),
];

const RANGES: ReadonlyMap<string, readonly [below: bigint, above: bigint]> = new Map([
  ['int32', [-(2n ** 31n) - 1n, 2n ** 31n]],
  ['int64', [-(2n ** 63n) - 1n, 2n ** 63n]],
]);

const besideMultiple = (value: number | bigint, step: number): number | bigint =>
  typeof value === 'bigint' ? value + 1n : value + (step > 1 ? 1 : step / 2);

/** Numbers just past each bound, and off the step. */
export const wrongNumbers: FindIn<number | bigint> = (flat, value, place) => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format = '' } = flat;
  const [below, above] = RANGES.get(format) ?? [];
  const candidates: readonly (readonly [name: string, value: number | bigint | undefined])[] = [
    [`below ${format}`, below],
    [`above ${format}`, above],
    [`below ${minimum}`, minimum === undefined ? undefined : minimum - 1],
    [`above ${maximum}`, maximum === undefined ? undefined : maximum + 1],
    [`at ${exclusiveMinimum}, which is excluded`, exclusiveMinimum],
    [`at ${exclusiveMaximum}, which is excluded`, exclusiveMaximum],
    [
      `no multiple of ${multipleOf}`,
      multipleOf === undefined ? undefined : besideMultiple(value, multipleOf),
    ],
  ];
  return candidates.flatMap(([name, wrong]) =>
    wrong === undefined ? [] : [{ name: `${place} ${name}`, place, value: wrong }],
  );
};

/** Arrays just past each bound, and with an item twice. */
export const wrongLengths: FindIn<readonly Json[]> = (flat, value, place) => {
  const { minItems = 0, maxItems, uniqueItems } = flat;
  const last = value.at(-1) ?? null;
  const longer = (length: number) => [...value, ...Array<Json>(length - value.length).fill(last)];
  return [
    ...(minItems > 0
      ? [{ name: `${place} of fewer than ${minItems}`, place, value: value.slice(0, minItems - 1) }]
      : []),
    ...(maxItems === undefined
      ? []
      : [{ name: `${place} of more than ${maxItems}`, place, value: longer(maxItems + 1) }]),
    ...(uniqueItems && value.length > 0
      ? [{ name: `${place} with an item twice`, place, value: [...value, last] }]
      : []),
  ];
};

/** Objects that miss a member, or have one too many. */
export const wrongMembers: FindIn<{ readonly [name: string]: Json }> = (flat, value, place) => {
  const { required = [], additionalProperties, unevaluatedProperties } = flat;
  const gone = required.map((name) => {
    const { [name]: _gone, ...rest } = value;
    return { name: `${memberPlace(place, name)} gone`, place: memberPlace(place, name), value: rest };
  });
  if (additionalProperties !== false && unevaluatedProperties !== false) return gone;
  const stranger = memberPlace(place, 'stranger');
  return [...gone, { name: `${stranger} added`, place: stranger, value: { ...value, stranger: 41 } }];
};

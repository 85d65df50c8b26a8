import { type Json, toJson } from './json.ts';
import type { SchemaObject } from './schema.ts';

/** A value with one thing wrong with it. */
export interface Violation {
  /** For the report: `body.tags[3] gone`. */
  readonly name: string;
  /** The same for all that differ in an index or in a made-up name only: `body.tags[] gone`. */
  readonly kind: string;
  /** What is wrong: `body.name`. */
  readonly place: string;
  /** What a refusal has to name: the place, or the union that it is in. */
  readonly named: string;
  readonly value: Json;
}

const violation = (place: string, what: string, value: Json): Violation => ({
  name: `${place} ${what}`,
  kind: `${place} ${what}`,
  place,
  named: place,
  value,
});

/** Longer than this nothing is made, however long it may be: services have limits of their own. */
const LONGEST = 10_000;

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
  return SAMPLES.filter(([types]) => !types.some((each) => right.includes(each))).map(([, name, value]) =>
    violation(place, `as ${name}`, value),
  );
};

/** A value that the enum does not have. */
export const outsideEnum: FindIn<Json> = ({ enum: allowed }, value, place) => {
  if (!allowed) return [];
  const numbers = allowed.filter((each) => typeof each === 'number');
  const stranger = typeof value === 'number' ? Math.max(...numbers) + 1 : `${toJson(value)}, not`;
  return [violation(place, 'outside its enum', stranger)];
};

/** Text past its lengths, or of no such form. */
export const wrongTexts: FindIn<string> = ({ format, pattern, minLength = 0, maxLength }, _value, place) => [
  ...(minLength > 0 && minLength < LONGEST
    ? [violation(place, `shorter than ${minLength}`, '🌱'.repeat(minLength - 1))]
    : []),
  ...(maxLength === undefined || maxLength > LONGEST
    ? []
    : [violation(place, `longer than ${maxLength}`, 'x'.repeat(maxLength + 1))]),
  ...(format === undefined ? [] : [violation(place, `in no ${format} format`, '\u0001')]),
  ...(pattern === undefined ? [] : [violation(place, 'off its pattern', '\u0001')]),
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
  return candidates.flatMap(([name, wrong]) => (wrong === undefined ? [] : [violation(place, name, wrong)]));
};

/** Arrays just past each bound, and with an item twice. */
export const wrongLengths: FindIn<readonly Json[]> = (flat, value, place) => {
  const { minItems = 0, items, prefixItems = [], uniqueItems } = flat;
  const maxItems = flat.maxItems ?? (items === false ? prefixItems.length : undefined);
  const last = value.at(-1) ?? null;
  const longer = (length: number) => [
    ...value,
    ...Array<Json>(Math.max(0, length - value.length)).fill(last),
  ];
  return [
    ...(minItems > 0 ? [violation(place, `of fewer than ${minItems}`, value.slice(0, minItems - 1))] : []),
    ...(maxItems === undefined || maxItems > LONGEST
      ? []
      : [violation(place, `of more than ${maxItems}`, longer(maxItems + 1))]),
    ...(uniqueItems && value.length > 0 ? [violation(place, 'with an item twice', [...value, last])] : []),
  ];
};

const without = (value: { readonly [name: string]: Json }, name: string) => {
  const { [name]: _gone, ...rest } = value;
  return rest;
};

/** Objects that miss a member, or have one too many. */
export const wrongMembers: FindIn<{ readonly [name: string]: Json }> = (flat, value, place) => {
  const { required = [], additionalProperties, unevaluatedProperties, dependentRequired = {} } = flat;
  const gone = required.map((name) => violation(memberPlace(place, name), 'gone', without(value, name)));
  const goneBeside = Object.entries(dependentRequired)
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, others]) =>
      others.map((other) => ({
        ...violation(memberPlace(place, other), `gone beside ${name}`, without(value, other)),
        named: place,
      })),
    );
  if (additionalProperties !== false && unevaluatedProperties !== false) return [...gone, ...goneBeside];
  const stranger = memberPlace(place, 'stranger');
  return [...gone, ...goneBeside, violation(stranger, 'added', { ...value, stranger: 41 })];
};

import { type Json, toJson } from '../../values/json.ts';
import { compare, type Numeric } from '../../values/numbers.ts';
import { type FindIn, LONGEST, violation } from './violation.ts';

/** One value of each JSON type. A lenient parser would take the string and the fraction for an integer. */
const SAMPLES: readonly (readonly [types: readonly string[], name: string, value: Json])[] = [
  [['null'], 'null', null],
  [['boolean'], 'a boolean', true],
  [['number'], 'a fraction', 41.5],
  [['number', 'integer'], 'a number', 41],
  [['string'], 'a string', '41'],
  [['array'], 'an array', []],
  [['object'], 'an object', {}],
];

/** A value of every other JSON type. */
export const wrongTypes: FindIn<Json> = ({ type }, _value, place) => {
  if (type === undefined) return [];
  const right = [type].flat();
  return SAMPLES.filter(([types]) => !types.some((each) => right.includes(each))).map(([, name, value]) =>
    violation(place, `as ${name}`, value),
  );
};

const isNumeric = (value: Json): value is Numeric => typeof value === 'number' || typeof value === 'bigint';

const larger = (one: Numeric, other: Numeric): Numeric => (compare(one, other) < 0 ? other : one);

const before = (value: Numeric): Numeric => (typeof value === 'bigint' ? value - 1n : value - 1);
const after = (value: Numeric): Numeric => (typeof value === 'bigint' ? value + 1n : value + 1);

/** A value outside the enum; for a large integer, its neighbours, which a double would confuse with it. */
export const outsideEnum: FindIn<Json> = ({ enum: allowed }, value, place) => {
  if (!allowed) return [];
  if (typeof value === 'bigint')
    return [before(value), after(value)].map((wrong) =>
      violation(place, `as ${wrong}, outside its enum`, wrong),
    );
  const numbers = allowed.filter(isNumeric);
  const stranger = typeof value === 'number' ? after(numbers.reduce(larger, value)) : `${toJson(value)}, not`;
  return [violation(place, 'outside its enum', stranger)];
};

/** Texts of a wrong length, format or pattern. */
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

const besideMultiple = (value: Numeric, step: Numeric): Numeric =>
  typeof value === 'bigint' || step > 1 ? after(value) : value + Number(step) / 2;

/** Numbers just beyond each bound, or not a multiple of the step. */
export const wrongNumbers: FindIn<Numeric> = (flat, value, place) => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format = '' } = flat;
  const [below, above] = RANGES.get(format) ?? [];
  const candidates: readonly (readonly [name: string, value: Numeric | undefined])[] = [
    [`below ${format}`, below],
    [`above ${format}`, above],
    [`below ${minimum}`, minimum === undefined ? undefined : before(minimum)],
    [`above ${maximum}`, maximum === undefined ? undefined : after(maximum)],
    [`at ${exclusiveMinimum}, which is excluded`, exclusiveMinimum],
    [`at ${exclusiveMaximum}, which is excluded`, exclusiveMaximum],
    [
      `no multiple of ${multipleOf}`,
      multipleOf === undefined ? undefined : besideMultiple(value, multipleOf),
    ],
  ];
  return candidates.flatMap(([name, wrong]) => (wrong === undefined ? [] : [violation(place, name, wrong)]));
};

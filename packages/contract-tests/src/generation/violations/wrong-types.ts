import { isObject, type Json, toJson } from '../../values/json.ts';
import { compare, type Numeric } from '../../values/numbers.ts';
import { type FaultsOf, inOtherCase } from './violation.ts';

const isNumeric = (value: Json): value is Numeric => typeof value === 'number' || typeof value === 'bigint';

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
    ...others.map(([, name, like]) => ({
      keyword: 'type' as const,
      what: `as ${name}`,
      values: like(valid),
    })),
    ...(isObject(valid) && !right.includes('array')
      ? [{ keyword: 'type' as const, what: 'in a list', values: [[valid]] }]
      : []),
  ];
};

const larger = (one: Numeric, other: Numeric): Numeric => (compare(one, other) < 0 ? other : one);

const neighbours = (value: bigint): bigint[] => [value - 1n, value + 1n];

const besideText = (value: string): (readonly [what: string, value: string])[] => [
  ['in another case', inOtherCase(value)],
  ['with a blank after it', `${value} `],
  ['empty', ''],
];

/** Values outside the enum: for a large integer, its neighbours, which a double would confuse with it. */
export const outsideEnum: FaultsOf<Json> = ({ enum: allowed }, value) => {
  if (!allowed) return [];
  const fault = (what: string, wrong: Json) => ({ keyword: 'enum' as const, what, values: [wrong] });
  if (typeof value === 'bigint')
    return neighbours(value).map((wrong) => fault(`as ${wrong}, outside its enum`, wrong));
  const numbers = allowed.filter(isNumeric);
  const largest = numbers.reduce(larger, typeof value === 'number' ? value : 0);
  if (typeof value === 'number')
    return [fault('outside its enum', typeof largest === 'bigint' ? largest + 1n : largest + 1)];
  return [
    fault('outside its enum', `${toJson(value)}, not`),
    ...(typeof value === 'string' ? besideText(value) : []).map(([what, wrong]) =>
      fault(`outside its enum, ${what}`, wrong),
    ),
  ];
};

import { toJson } from '@trellis/openapi/internal/json';
import { isObject, type Json } from '../../values/json.ts';
import { compare, isNumeric, type Numeric } from '../../values/numbers.ts';
import { type FaultsOf, fault, inOtherCase } from './violation.ts';

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

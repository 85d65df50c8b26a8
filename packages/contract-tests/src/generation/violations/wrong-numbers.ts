import type { Json } from '../../values/json.ts';
import { floorOf, type Numeric, times, toPlain } from '../../values/numbers.ts';
import type { FaultsOf } from './violation.ts';

const RANGES: ReadonlyMap<string, readonly [bits: bigint, below: bigint, above: bigint]> = new Map([
  ['int32', [32n, -(2n ** 31n) - 1n, 2n ** 31n]],
  ['int64', [64n, -(2n ** 63n) - 1n, 2n ** 63n]],
]);

/** A number and a step away from it, without rounding a bigint. */
const away = (from: Numeric, step: 1 | -1): Numeric =>
  typeof from === 'bigint' ? from + BigInt(step) : from + step;

/** The next multiples of a step beyond a bound, so that the bound is all that they break. */
const multiplesBeyond = (bound: Numeric, step: Numeric): Numeric[] => {
  const count = floorOf(bound, step);
  return [count - 1n, count, count + 1n, count + 2n].map((each) => toPlain(times(each, step)));
};

/** Numbers beyond a bound by so little that a check in single precision or of rounded numbers misses it. */
const justBeyond = (bound: Numeric, direction: 1 | -1): Numeric[] => {
  const near = Number(bound) + direction * Math.max(Math.abs(Number(bound)), 1) * 1e-9;
  return Number.isInteger(near) ? [] : [near];
};

const besideMultiple = (value: Numeric, step: Numeric): Numeric[] => {
  const half = Number(step) / 2;
  const near = typeof value === 'bigint' || step > 1 ? [] : [value + half, value - half];
  return [...near, away(value, 1), away(value, -1)];
};

/** Numbers just beyond each bound, or not a multiple of the step. */
export const wrongNumbers: FaultsOf<Numeric> = (flat, value) => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format = '' } = flat;
  const beyond = (bound: Numeric, direction: 1 | -1): Json[] => [
    away(bound, direction),
    ...multiplesBeyond(bound, multipleOf ?? 1),
  ];
  const [bits, below, above] = RANGES.get(format) ?? [];
  const isWhole = [flat.type ?? []].flat().every((type) => type !== 'number') || multipleOf !== undefined;
  const candidates: readonly (readonly [
    keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf' | 'format',
    what: string,
    values: readonly Json[],
  ])[] = [
    ['format', `below ${format}`, below === undefined ? [] : [below]],
    ['format', `above ${format}`, above === undefined ? [] : [above]],
    [
      'format',
      `above ${format}, so that it wraps around`,
      bits === undefined || !Number.isInteger(Number(value)) ? [] : [BigInt(value) + 2n ** bits],
    ],
    ['minimum', `below ${minimum}`, minimum === undefined ? [] : beyond(minimum, -1)],
    ['maximum', `above ${maximum}`, maximum === undefined ? [] : beyond(maximum, 1)],
    ['minimum', `just below ${minimum}`, minimum === undefined || isWhole ? [] : justBeyond(minimum, -1)],
    ['maximum', `just above ${maximum}`, maximum === undefined || isWhole ? [] : justBeyond(maximum, 1)],
    [
      'exclusiveMinimum',
      `at ${exclusiveMinimum}, which is excluded`,
      exclusiveMinimum === undefined ? [] : [exclusiveMinimum],
    ],
    [
      'exclusiveMaximum',
      `at ${exclusiveMaximum}, which is excluded`,
      exclusiveMaximum === undefined ? [] : [exclusiveMaximum],
    ],
    [
      'multipleOf',
      `no multiple of ${multipleOf}`,
      multipleOf === undefined ? [] : besideMultiple(value, multipleOf),
    ],
  ];
  return candidates.map(([keyword, what, values]) => ({ keyword, what, values }));
};

import type { Json } from '../../values/json.ts';
import { multiplesAround, type Numeric } from '../../values/numbers.ts';
import { type FaultsOf, fault } from './violation.ts';

const BITS: ReadonlyMap<string, bigint> = new Map([
  ['int32', 32n],
  ['int64', 64n],
]);

/** A number and a step away from it, without rounding a bigint. */
const away = (from: Numeric, step: 1 | -1): Numeric =>
  typeof from === 'bigint' ? from + BigInt(step) : from + step;

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
  const isWhole = [flat.type ?? []].flat().every((type) => type !== 'number') || multipleOf !== undefined;
  /** Also the next multiples of the step, so that the bound is all that they break. */
  const beyond = (bound: Numeric, direction: 1 | -1): Json[] => [
    away(bound, direction),
    ...multiplesAround(bound, multipleOf ?? 1, 4),
  ];
  const near = (bound: Numeric, direction: 1 | -1): Json[] => (isWhole ? [] : justBeyond(bound, direction));
  const bits = BITS.get(format);
  return [
    ...(bits === undefined
      ? []
      : [
          fault('format', `below ${format}`, -(2n ** (bits - 1n)) - 1n),
          fault('format', `above ${format}`, 2n ** (bits - 1n)),
          fault(
            'format',
            `above ${format}, so that it wraps around`,
            ...(Number.isInteger(Number(value)) ? [BigInt(value) + 2n ** bits] : []),
          ),
        ]),
    ...(minimum === undefined ? [] : [fault('minimum', `below ${minimum}`, ...beyond(minimum, -1))]),
    ...(maximum === undefined ? [] : [fault('maximum', `above ${maximum}`, ...beyond(maximum, 1))]),
    ...(minimum === undefined ? [] : [fault('minimum', `just below ${minimum}`, ...near(minimum, -1))]),
    ...(maximum === undefined ? [] : [fault('maximum', `just above ${maximum}`, ...near(maximum, 1))]),
    ...(exclusiveMinimum === undefined
      ? []
      : [fault('exclusiveMinimum', `at ${exclusiveMinimum}, which is excluded`, exclusiveMinimum)]),
    ...(exclusiveMaximum === undefined
      ? []
      : [fault('exclusiveMaximum', `at ${exclusiveMaximum}, which is excluded`, exclusiveMaximum)]),
    ...(multipleOf === undefined
      ? []
      : [fault('multipleOf', `no multiple of ${multipleOf}`, ...besideMultiple(value, multipleOf))]),
  ];
};

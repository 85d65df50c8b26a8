import { multiplesAround, type Numeric } from '../../values/numbers.ts';
import { type Fault, type FaultsOf, fault } from './violation.ts';

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
const EXCLUSIVE = ['exclusiveMinimum', 'exclusiveMaximum'] as const;

/** Integers just beyond a format, and one whose last bits are 0. */
const beyondFormat = (format: string, bits: bigint): Fault[] => [
  fault('format', `below ${format}`, -(2n ** (bits - 1n)) - 1n),
  fault('format', `above ${format}`, 2n ** (bits - 1n)),
  fault('format', `far above ${format}`, 2n ** bits),
];

/** Numbers just beyond each bound, or not a multiple of the step. */
export const wrongNumbers: FaultsOf<Numeric> = (flat, value) => {
  const { multipleOf, format = '' } = flat;
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
    ...EXCLUSIVE.flatMap((keyword) => {
      const bound = flat[keyword];
      return bound === undefined ? [] : [fault(keyword, `at ${bound}, which is excluded`, bound)];
    }),
    ...(multipleOf === undefined
      ? []
      : [fault('multipleOf', `no multiple of ${multipleOf}`, ...besideMultiple(value, multipleOf))]),
  ];
};

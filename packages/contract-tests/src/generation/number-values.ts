import fc from 'fast-check';
import { compare, floorOf, type Numeric, times, toPlain } from '../values/numbers.ts';
import type { SchemaObject } from '../values/schema.ts';

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const SAFE: Range = { min: BigInt(Number.MIN_SAFE_INTEGER), max: BigInt(Number.MAX_SAFE_INTEGER) };
const INT64: Range = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const FORMATS: ReadonlyMap<string, Range> = new Map([
  ['int32', { min: -(2n ** 31n), max: 2n ** 31n - 1n }],
  ['int64', INT64],
]);

/** Integers that reveal rounding to doubles and wrong bounds. */
const TELLING_INT64S = [INT64.min, -(2n ** 53n), -(2n ** 31n), 0n, 2n ** 31n, 2n ** 53n, INT64.max].flatMap(
  (value) => [value - 1n, value, value + 1n],
);

/** The range between the highest lower bound and the lowest upper bound; `undefined` if it is empty. */
const between = (lower: readonly bigint[], upper: readonly bigint[]): Range | undefined => {
  const min = lower.reduce((one, other) => (other > one ? other : one));
  const max = upper.reduce((one, other) => (other < one ? other : one));
  return min > max ? undefined : { min, max };
};

/** The factors whose multiples of a step are within the bounds of a schema; `undefined` if there is no such factor. */
const timesBetween = (schema: SchemaObject, step: Numeric): Range | undefined => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, format = '' } = schema;
  const ceilingOf = (value: Numeric): bigint => -floorOf(times(-1n, value), step);
  const lower = [
    ...(minimum === undefined ? [] : [ceilingOf(minimum)]),
    ...(exclusiveMinimum === undefined ? [] : [floorOf(exclusiveMinimum, step) + 1n]),
  ];
  const upper = [
    ...(maximum === undefined ? [] : [floorOf(maximum, step)]),
    ...(exclusiveMaximum === undefined ? [] : [ceilingOf(exclusiveMaximum) - 1n]),
  ];
  const inFormat = FORMATS.get(format);
  const { min, max } = inFormat ?? SAFE;
  const usual = between([ceilingOf(min), ...lower], [floorOf(max, step), ...upper]);
  if (usual || inFormat) return usual;
  // Integers beyond 2^53, which parsers may round (RFC 8259, section 6), are used only if the bounds allow no other.
  return between(lower.length > 0 ? lower : upper, upper.length > 0 ? upper : lower);
};

/** Integers of a schema, or multiples of its step; bigints for int64 or where doubles are inexact. */
export const integersOf = (schema: SchemaObject): fc.Arbitrary<Numeric> | undefined => {
  const step = schema.multipleOf || 1;
  const range = timesBetween(schema, step);
  if (!range) return undefined;
  const anywhere = fc.bigInt(range).map((count) => times(count, step));
  if (schema.format !== 'int64') return anywhere.map(toPlain);
  const telling = TELLING_INT64S.map((value) => floorOf(value, step)).filter(
    (count) => count >= range.min && count <= range.max,
  );
  if (telling.length === 0) return anywhere;
  return fc.oneof(
    fc.constantFrom(...telling).map((count) => times(count, step)),
    anywhere,
  );
};

/** Numbers of a schema, including fractions. */
export const numbersOf = (schema: SchemaObject): fc.Arbitrary<Numeric> | undefined => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (multipleOf !== undefined || schema.format === 'int64') return integersOf(schema);
  const lower = [minimum, exclusiveMinimum].flatMap((bound) => (bound === undefined ? [] : [bound]));
  const upper = [maximum, exclusiveMaximum].flatMap((bound) => (bound === undefined ? [] : [bound]));
  const min = Math.max(-Number.MAX_VALUE, ...lower.map(Number));
  const max = Math.min(Number.MAX_VALUE, ...upper.map(Number));
  if (lower.some((low) => upper.some((high) => compare(low, high) > 0))) return undefined;
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true, min, max });
  // Between bounds beyond 2^53 there may be no double.
  const integers = [...lower, ...upper].some((bound) => typeof bound === 'bigint') && integersOf(schema);
  return integers ? fc.oneof(doubles, integers) : doubles;
};

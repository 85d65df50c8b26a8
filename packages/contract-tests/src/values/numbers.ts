import { compareDecimals, type Decimal, isMultipleOf, parseDecimal } from '@trellis/openapi/internal/json';

/** A JSON number: a double, or an integer of any size. */
export type Numeric = number | bigint;

/** Narrows to a JSON number. */
export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';

/** Represents infinity, which is how JavaScript reads `1e400` and YAML's `.inf`: larger than every double. */
const INFINITE = 10n ** 400n;

/** The exact decimal number; for a double, its shortest text. */
const toDecimal = (value: Numeric): Decimal => {
  if (typeof value === 'bigint') return { digits: value, scale: 0 };
  return parseDecimal(`${value}`) ?? { digits: value > 0 ? INFINITE : -INFINITE, scale: 0 };
};

/** Compares two numbers like a sort function. */
export const compare = (one: Numeric, other: Numeric): number =>
  compareDecimals(toDecimal(one), toDecimal(other));

/** Whether one number is an integer multiple of the other. */
export const isMultiple = (one: Numeric, other: Numeric): boolean =>
  isMultipleOf(toDecimal(one), toDecimal(other));

/** The quotient of two numbers, rounded down. */
export const floorOf = (one: Numeric, other: Numeric): bigint => {
  const [dividend, divisor] = [toDecimal(one), toDecimal(other)];
  const [left, right] = [
    dividend.digits * 10n ** BigInt(divisor.scale),
    divisor.digits * 10n ** BigInt(dividend.scale),
  ];
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
};

/** Multiplies; returns a bigint if the product is an integer. */
export const times = (count: bigint, step: Numeric): Numeric => {
  const { digits, scale } = toDecimal(step);
  const product = count * digits;
  const one = 10n ** BigInt(scale);
  return product % one === 0n ? product / one : Number(`${product}e-${scale}`);
};

/** `count` multiples of a step, starting one below a bound. */
export const multiplesAround = (bound: Numeric, step: Numeric, count: number): Numeric[] => {
  const first = floorOf(bound, step) - 1n;
  return Array.from({ length: count }, (_, index) => toPlain(times(first + BigInt(index), step)));
};

/** Converts a bigint to a number if that is exact. */
export const toPlain = (value: Numeric): Numeric =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** Formats a number so that equal numbers have equal texts, such as `100` and `1e2`. */
export const canonical = (value: Numeric): string => {
  const { digits, scale } = toDecimal(value);
  const [, significant = '', zeros = ''] = /^(.*?)(0*)$/.exec(`${digits}`) ?? [];
  return significant === '' ? '0' : `${significant}e${zeros.length - scale}`;
};

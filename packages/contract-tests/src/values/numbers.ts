import { type Decimal, parseDecimal } from '@trellis/openapi/json';

/** A JSON number: a double, or an integer of any size. */
export type Numeric = number | bigint;

/** Narrows to a JSON number. */
export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';

/** Stands for infinity, which is how JavaScript reads `1e400` and YAML's `.inf`: it is larger than every double. */
const INFINITE = 10n ** 400n;

/** The decimal number that goes over the wire; for a double, that is its shortest text. */
const toDecimal = (value: Numeric): Decimal => {
  if (typeof value === 'bigint') return { digits: value, scale: 0 };
  return parseDecimal(`${value}`) ?? { digits: value > 0 ? INFINITE : -INFINITE, scale: 0 };
};

/** Two numbers as integers of one scale. */
const toUnits = (one: Numeric, other: Numeric): [one: bigint, other: bigint] => {
  const [left, right] = [toDecimal(one), toDecimal(other)];
  const scale = Math.max(left.scale, right.scale);
  return [left.digits * 10n ** BigInt(scale - left.scale), right.digits * 10n ** BigInt(scale - right.scale)];
};

/** Negative, 0 or positive, as `one` is smaller than, equal to or larger than `other`. */
export const compare = (one: Numeric, other: Numeric): number => {
  // Two doubles are in the order of their shortest texts; a double and an integer need not be.
  if (typeof one === 'number' && typeof other === 'number') return one === other ? 0 : Math.sign(one - other);
  const [left, right] = toUnits(one, other);
  return left === right ? 0 : left < right ? -1 : 1;
};

/** Whether one number is an integer multiple of the other. */
export const isMultiple = (one: Numeric, other: Numeric): boolean => {
  const [left, right] = toUnits(one, other);
  return right !== 0n && left % right === 0n;
};

/** The quotient of two numbers, rounded down. */
export const floorOf = (one: Numeric, other: Numeric): bigint => {
  const [left, right] = toUnits(one, other);
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
};

/** The product of two numbers; a bigint if it is an integer. */
export const times = (count: bigint, step: Numeric): Numeric => {
  const { digits, scale } = toDecimal(step);
  const product = count * digits;
  const one = 10n ** BigInt(scale);
  return product % one === 0n ? product / one : Number(`${product}e-${scale}`);
};

/** The multiples of a step around a bound, from one below it on. */
export const multiplesAround = (bound: Numeric, step: Numeric, count: number): Numeric[] => {
  const first = floorOf(bound, step) - 1n;
  return Array.from({ length: count }, (_, index) => toPlain(times(first + BigInt(index), step)));
};

/** A bigint as a number, if a double holds it exactly. */
export const toPlain = (value: Numeric): Numeric =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** One text for each number, however it is written: `100` and `1e2` have the same. */
export const canonical = (value: Numeric): string => {
  const { digits, scale } = toDecimal(value);
  const [, significant = '', zeros = ''] = /^(.*?)(0*)$/.exec(`${digits}`) ?? [];
  return significant === '' ? '0' : `${significant}e${zeros.length - scale}`;
};

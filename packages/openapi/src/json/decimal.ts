/** A decimal number without loss: `digits` × 10^−`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const NUMBER = /^([+-]?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The longest text, and the largest exponent, of any double. Larger numbers would take long to compute with. */
const LONGEST = 400;

/** Parses a number; returns `undefined` for other text, and for numbers far beyond any double. */
export const parseDecimal = (text: string): Decimal | undefined => {
  if (text.length > LONGEST) return undefined;
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > LONGEST) return undefined;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
};

/** Both as integers of the same scale. */
const align = (one: Decimal, other: Decimal): [one: bigint, other: bigint] => {
  const scale = Math.max(one.scale, other.scale);
  return [one.digits * 10n ** BigInt(scale - one.scale), other.digits * 10n ** BigInt(scale - other.scale)];
};

/** Negative, 0 or positive, if `one` is smaller than, equal to or larger than `other`. */
export const compareDecimals = (one: Decimal, other: Decimal): number => {
  const [left, right] = align(one, other);
  return left < right ? -1 : Number(left > right);
};

/** Whether `one` is a multiple of `other`. */
export const isMultipleOf = (one: Decimal, other: Decimal): boolean => {
  const [left, right] = align(one, other);
  return right !== 0n && left % right === 0n;
};

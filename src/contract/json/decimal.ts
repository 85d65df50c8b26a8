/** A decimal number without loss: `digits` × 10^−`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const NUMBER = /^([+-]?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** No double is longer, or of a larger exponent: what is would take its time to compute with. */
const LONGEST = 400;

/** The number that a text says; `undefined` where it says none, or one that no double comes near. */
export const parseDecimal = (text: string): Decimal | undefined => {
  if (text.length > LONGEST) return undefined;
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > LONGEST) return undefined;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
};

/** Both as integers of one scale. */
export const align = (one: Decimal, other: Decimal): [one: bigint, other: bigint] => {
  const scale = Math.max(one.scale, other.scale);
  return [one.digits * 10n ** BigInt(scale - one.scale), other.digits * 10n ** BigInt(scale - other.scale)];
};

/** Below 0, 0 or above it, as `one` is smaller than, equal to or larger than `other`. */
export const compareDecimals = (one: Decimal, other: Decimal): number => {
  const [left, right] = align(one, other);
  return left < right ? -1 : Number(left > right);
};

/** Whether the one is a whole number of times the other. */
export const isMultipleOf = (one: Decimal, other: Decimal): boolean => {
  const [left, right] = align(one, other);
  return right !== 0n && left % right === 0n;
};

/** A number of JSON: a double, or an integer of any size. */
export type Numeric = number | bigint;

/**
 * A number as it is written, in its own digits and a power of ten: a double is what its shortest text says, for that
 * is what goes over the wire.
 */
const partsOf = (value: Numeric): { digits: bigint; power: number } => {
  if (typeof value === 'bigint') return { digits: value, power: 0 };
  // `1e400` and `.inf` are endless to JavaScript: larger than every double, that is.
  if (!Number.isFinite(value)) return { digits: value > 0 ? 1n : -1n, power: 400 };
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), power: Number(exponent) - fraction.length };
};

/** Both as integers, of the same power of ten. */
const align = (one: Numeric, other: Numeric): [one: bigint, other: bigint] => {
  const [left, right] = [partsOf(one), partsOf(other)];
  const power = Math.min(left.power, right.power);
  return [left.digits * 10n ** BigInt(left.power - power), right.digits * 10n ** BigInt(right.power - power)];
};

/** Below 0, 0 or above it, as the one is smaller than, equal to or larger than the other. */
export const compare = (one: Numeric, other: Numeric): number => {
  const [left, right] = align(one, other);
  return left < right ? -1 : Number(left > right);
};

/** Whether the one is a whole number of times the other. */
export const isMultiple = (one: Numeric, other: Numeric): boolean => {
  const [left, right] = align(one, other);
  return right !== 0n && left % right === 0n;
};

/** How many whole times the other goes into the one, rounded down. */
export const floorOf = (one: Numeric, other: Numeric): bigint => {
  const [left, right] = align(one, other);
  const times = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? times - 1n : times;
};

/** So many times a number; a bigint where that is an integer. */
export const times = (count: bigint, step: Numeric): Numeric => {
  const { digits, power } = partsOf(step);
  const product = count * digits;
  if (power >= 0) return product * 10n ** BigInt(power);
  const one = 10n ** BigInt(-power);
  return product % one === 0n ? product / one : Number(`${product}e${power}`);
};

/** A number where that is exact, as JSON has it in JavaScript. */
export const toPlain = (value: Numeric): Numeric =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** One text for a number, however it is written: `100` and `1e2` are the same. */
export const canonical = (value: Numeric): string => {
  const { digits, power } = partsOf(value);
  const [, significant = '', zeros = ''] = /^(.*?)(0*)$/.exec(`${digits}`) ?? [];
  return significant === '' ? '0' : `${significant}e${power + zeros.length}`;
};

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Narrows to a bigint. */
export const isBigint = (value: unknown): value is bigint => typeof value === 'bigint';

/** No regular expression here: `0+$` takes quadratic time on a long run of zeros elsewhere. */
const countTrailingZeros = (digits: string): number => {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.length - end;
};

/**
 * Parses a JSON number as an exact int64; `undefined` if it is not an integer or out of range.
 * `41.0` and `1e3` are integers (JSON Schema 2020-12, section 4.2.3).
 */
export const parseInt64 = (source: string): bigint | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return whole === '' ? undefined : 0n;
  const zeros = countTrailingZeros(digits);
  const scale = Number(exponent) - fraction.length + zeros;
  const significant = digits.length - zeros;
  // An int64 has at most 19 digits: longer numbers are refused before they are computed.
  if (scale < 0 || significant + scale > 19) return undefined;
  const value = BigInt(sign + digits.slice(0, significant) + '0'.repeat(scale));
  return value >= MIN && value <= MAX ? value : undefined;
};

/** The int64 that was sent: `source` is its text if a double may not hold it. */
export const toInt64 = (value: number, source: unknown): bigint | undefined => {
  if (typeof source === 'string') return parseInt64(source);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
};

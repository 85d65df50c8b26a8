import { parseDecimal } from './decimal.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Narrows to a bigint. */
export const isBigint = (value: unknown): value is bigint => typeof value === 'bigint';

/** Parses a number as an int64. `41.0` and `1e3` are integers (JSON Schema 2020-12, section 4.2.3). */
const parseInt64 = (source: string): bigint | undefined => {
  const decimal = parseDecimal(source);
  if (!decimal) return undefined;
  const unit = 10n ** BigInt(decimal.scale);
  const value = decimal.digits / unit;
  return value * unit === decimal.digits && value >= MIN && value <= MAX ? value : undefined;
};

/**
 * The int64 that was sent: `source` is its text if a double may not hold it. `undefined` if it is no integer, or out of
 * range.
 */
export const toInt64 = (value: number, source: unknown): bigint | undefined => {
  if (typeof source === 'string') return parseInt64(source);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
};

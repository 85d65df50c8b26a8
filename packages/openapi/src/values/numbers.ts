import { type Decimal, parseDecimal } from '../json/decimal.ts';
import { keywordIn, type SchemaPart } from './parts.ts';

/** The bounds that formats imply. */
const FORMATS: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

const decimalsIn = (parts: readonly SchemaPart[], keyword: string): Decimal[] =>
  keywordIn(parts, keyword).flatMap((value) => {
    const isNumber = typeof value === 'number' || typeof value === 'bigint';
    return (isNumber && parseDecimal(`${value}`)) || [];
  });

const toScale = ({ digits, scale }: Decimal, wanted: number): bigint =>
  digits * 10n ** BigInt(wanted - scale);

const ceil = (value: bigint, step: bigint): bigint => {
  const rest = value % step;
  return rest === 0n ? value : value - rest + (value > 0n ? step : 0n);
};
const floor = (value: bigint, step: bigint): bigint => -ceil(-value, step);

/** A number of `units` × 10^−`scale`: a bigint where a double would round it. */
const toNumber = (units: bigint, scale: number): number | bigint => {
  const unit = 10n ** BigInt(scale);
  if (units % unit !== 0n) return Number(`${units}e-${scale}`);
  const whole = units / unit;
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
};

/** The multiples of a step between two bounds, those nearest to zero first. */
function* multiples(least: bigint | undefined, most: bigint | undefined, step: bigint): Generator<bigint> {
  const isBelow = most !== undefined && most < 0n;
  const first = least !== undefined && least > 0n ? ceil(least, step) : isBelow ? floor(most, step) : 0n;
  const fits = (value: bigint): boolean =>
    (least === undefined || value >= least) && (most === undefined || value <= most);
  for (let value = first; fits(value); value += step) yield value;
  for (let value = first - step; fits(value); value -= step) yield value;
}

const largest = (values: readonly bigint[]): bigint | undefined =>
  values.reduce<bigint | undefined>(
    (most, value) => (most !== undefined && most > value ? most : value),
    undefined,
  );

/** The numbers that bounds, steps and formats allow, those nearest to zero first. There may be no end of them. */
export function* numbersOf(parts: readonly SchemaPart[], isInteger: boolean): Generator<number | bigint> {
  const [minimum, above] = [decimalsIn(parts, 'minimum'), decimalsIn(parts, 'exclusiveMinimum')];
  const [maximum, below] = [decimalsIn(parts, 'maximum'), decimalsIn(parts, 'exclusiveMaximum')];
  const one = { digits: 1n, scale: 0 };
  const steps = [...decimalsIn(parts, 'multipleOf'), ...(isInteger ? [one] : [])].filter(
    ({ digits }) => digits > 0n,
  );
  const formats = keywordIn(parts, 'format').flatMap((name) => FORMATS[String(name)] ?? []);
  const known = Math.max(
    ...[...minimum, ...above, ...maximum, ...below, ...steps].map(({ scale }) => scale),
    0,
  );
  // Two more digits, so that there is a number between any two bounds.
  const scale = steps.length > 0 ? known : known + 2;
  const unit = 10n ** BigInt(scale);
  const at = (decimal: Decimal): bigint => toScale(decimal, scale);
  const [least, most] = [
    largest([
      ...minimum.map(at),
      ...above.map((bound) => at(bound) + 1n),
      ...formats.filter((bound) => bound < 0n).map((bound) => bound * unit),
    ]),
    largest([
      ...maximum.map((bound) => -at(bound)),
      ...below.map((bound) => 1n - at(bound)),
      ...formats.filter((bound) => bound > 0n).map((bound) => -bound * unit),
    ]),
  ];
  const end = most === undefined ? undefined : -most;
  const coarse = largest(steps.map(at)) ?? unit / 2n;
  for (const value of multiples(least, end, coarse)) yield toNumber(value, scale);
  if (steps.length === 0) for (const value of multiples(least, end, 1n)) yield toNumber(value, scale);
}

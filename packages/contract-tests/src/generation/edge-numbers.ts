import { distinctBy } from '../values/json.ts';
import { multiplesAround, type Numeric, toPlain } from '../values/numbers.ts';
import type { EdgeCase, EdgeCasesOf } from './edge-texts.ts';

const INT32 = [2n ** 31n - 1n, -(2n ** 31n)];
const SAFE = [2n ** 53n - 1n, -(2n ** 53n) + 1n];
const UNSAFE = [2n ** 53n + 1n, -(2n ** 53n) - 1n];
const INT64 = [2n ** 63n - 1n, -(2n ** 63n)];
/** Integers beyond a 64-bit column or variable. */
const BEYOND_INT64 = [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n];

const name = (value: Numeric): string => `as ${value}`;

/** Whether parsers may round an integer (RFC 8259, section 6), since no format requires it to be exact. */
const isDisputed = (value: Numeric, format: string | undefined): boolean =>
  typeof value === 'bigint' && !Number.isSafeInteger(Number(value)) && format !== 'int64';

const integers: EdgeCasesOf = ({ format }) => {
  return [0n, -1n, 1n, 2n ** 31n, ...INT32, ...SAFE, ...UNSAFE, ...INT64, ...BEYOND_INT64].map((value) => ({
    what: name(value),
    value: toPlain(value),
    mayRefuse: isDisputed(value, format),
  }));
};

const fractions: EdgeCasesOf = ({ format }) => {
  const isDouble = format === 'double';
  const strict = [0, -1, 0.1 + 0.2, 1e-7, 0.001, -0.5, 1e21, 123_456_789.125];
  // RFC 8259, section 6: a parser may limit range and precision.
  const extreme = [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** -1022];
  return [
    ...strict.map((value) => ({ what: name(value), value })),
    ...extreme.map((value) => ({ what: name(value), value, mayRefuse: !isDouble })),
  ];
};

/** The values at each bound, and the next valid ones. */
const atBounds: EdgeCasesOf = (flat) => {
  const step = flat.multipleOf ?? 1;
  const bounds = [flat.minimum, flat.maximum, flat.exclusiveMinimum, flat.exclusiveMaximum];
  return bounds.flatMap((bound): EdgeCase[] => {
    if (bound === undefined) return [];
    return [bound, ...multiplesAround(bound, step, 3)].map((value) => ({
      what: name(value),
      value,
      mayRefuse: isDisputed(value, flat.format),
    }));
  });
};

/** Other spellings of numbers (RFC 8259, section 6), which some parsers do not read as integers. */
const spellings: EdgeCase[] = (
  [
    [1, '1.0'],
    [1, '1e0'],
    [100, '1E+2'],
    [0, '-0'],
    [0, '0.0'],
  ] as const
).map(([value, written]) => ({ what: `as ${written}`, value, written, mayRefuse: true }));

/** Numbers at the limits of bounds, formats and machine types. */
export const edgeNumbers: EdgeCasesOf = (flat) => {
  const isWhole = [flat.type ?? []].flat().includes('integer');
  const found = [...atBounds(flat), ...integers(flat), ...(isWhole ? [] : fractions(flat)), ...spellings];
  return distinctBy(found, ({ what }) => what);
};

import { oncePerKey } from '@trellis/openapi/internal/json';
import { compilePattern } from '@trellis/openapi/internal/schema';
import fc from 'fast-check';
import type { Json } from '../values/json.ts';
import { compare, floorOf, type Numeric, times, toPlain } from '../values/numbers.ts';
import type { SchemaObject } from '../values/schema.ts';

/** The characters of texts: any, or only characters that headers and delimited lists carry unchanged. */
export type Alphabet = 'any' | 'word';

/** Maps n to a code point. `a` is the first, so that shrunk texts are readable. */
const codePoint = (n: number): string => {
  const shifted = ((n + 0x60) % 0x10f7ff) + 1;
  return String.fromCodePoint(shifted < 0xd800 ? shifted : shifted + 0x800);
};

const CHARACTERS: Readonly<Record<Alphabet, fc.Arbitrary<string>>> = {
  /** Every code point but surrogates and U+0000, with troublesome ones more often. */
  any: fc.oneof(
    fc.constantFrom(...'azAZ09 "\\/\b\n\u007f\u0085é\u0301\u200b\u2028\ufeff\ufffd\uffff🌱\u{10ffff}'),
    fc.integer({ min: 0, max: 0x10f7fe }).map(codePoint),
  ),
  word: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'),
};

/** Well-formed text without U+0000; lengths are counted in code points, as JSON Schema does. */
export const text = (
  lengths: { minLength?: number; maxLength?: number } = {},
  alphabet: Alphabet = 'any',
): fc.Arbitrary<string> => fc.string({ unit: CHARACTERS[alphabet], ...lengths });

const moment = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

const word = text({ minLength: 1, maxLength: 8 }, 'word');

/** A path of a URI. fast-check's own generator takes a second to create. */
const path = fc
  .array(
    fc.string({
      minLength: 1,
      unit: fc.oneof(
        { weight: 10, arbitrary: fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@") },
        { weight: 1, arbitrary: CHARACTERS.any.map(encodeURIComponent) },
      ),
    }),
    { maxLength: 5 },
  )
  .map((segments) => segments.map((segment) => `/${segment}`).join(''));

const webAddress = fc.tuple(fc.domain(), path).map(([host, path]) => `https://${host}${path}`);

const FORMATS: ReadonlyMap<string, fc.Arbitrary<string>> = new Map([
  ['date-time', moment],
  ['date', moment.map((value) => value.slice(0, 10))],
  ['time', moment.map((value) => value.slice(11))],
  ['duration', fc.integer({ min: 1, max: 999 }).map((count) => `P${count}DT${count}S`)],
  ['email', fc.emailAddress()],
  ['uuid', fc.uuid()],
  ['uri', webAddress],
  ['url', webAddress],
  ['uri-reference', path],
  ['uri-template', word.map((name) => `/things/{${name.replaceAll('-', '_')}}`)],
  ['hostname', fc.domain()],
  ['ipv4', fc.ipV4()],
  ['ipv6', fc.ipV6()],
  ['byte', fc.base64String()],
  ['json-pointer', word.map((name) => `/${name}`)],
  ['relative-json-pointer', word.map((name) => `1/${name}`)],
  ['regex', word.map((name) => `^${name}$`)],
]);

/** Texts that match a pattern. Cached, because `\p{L}` takes fast-check a tenth of a second each time. */
const matching = oncePerKey((pattern: string): fc.Arbitrary<string> | undefined => {
  try {
    const compiled = compilePattern(pattern);
    return compiled && fc.stringMatching(compiled);
  } catch {
    return undefined; // fast-check does not support every pattern, such as lookarounds
  }
});

/** Strings of a schema. */
export const stringsOf = (schema: SchemaObject, alphabet: Alphabet): fc.Arbitrary<string> => {
  const { format = '', pattern, minLength = 0, maxLength } = schema;
  const lengths = {
    minLength,
    ...(maxLength !== undefined && { maxLength: Math.max(maxLength, minLength) }),
  };
  const ofPattern = pattern === undefined ? undefined : matching(pattern);
  return ofPattern ?? FORMATS.get(format) ?? text(lengths, alphabet);
};

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger().map(BigInt), // beyond, parsers round numbers (RFC 8259, section 6)
  text(),
);

/** Any JSON value, for a schema that does not restrict it. */
export const anything: fc.Arbitrary<Json> = fc.oneof(
  { arbitrary: scalar, weight: 3 },
  { arbitrary: fc.array(scalar, { maxLength: 3 }), weight: 1 },
  { arbitrary: fc.dictionary(text(), scalar, { maxKeys: 3 }), weight: 1 },
);

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const SAFE: Range = { min: BigInt(Number.MIN_SAFE_INTEGER), max: BigInt(Number.MAX_SAFE_INTEGER) };
const INT64: Range = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const INTEGER_FORMATS: ReadonlyMap<string, Range> = new Map([
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
  const inFormat = INTEGER_FORMATS.get(format);
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

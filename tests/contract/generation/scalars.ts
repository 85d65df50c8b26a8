import fc from 'fast-check';
import type { Json } from './json.ts';
import type { SchemaObject } from './schema.ts';

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/** Where an exact integer and its double part ways, and where a wrong bound shows. */
const TELLING_INT64S = [INT64.min, -(2n ** 53n), -(2n ** 31n), 0n, 2n ** 31n, 2n ** 53n, INT64.max].flatMap(
  (value) => [value - 1n, value, value + 1n],
);

/** Every code point that text may hold (no surrogates, no U+0000), the troublesome ones often. */
const character = fc.oneof(
  fc.constantFrom(...'azAZ09 "\\/\b\n\u007f\u0085é\u0301\u200b\u2028\ufeff\ufffd\uffff🌱\u{10ffff}'),
  fc.integer({ min: 1, max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800)),
);

/** Well-formed text without U+0000; lengths are counted in code points, as JSON Schema does. */
export const text = (lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...lengths });

const moment = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

const FORMATS: ReadonlyMap<string, fc.Arbitrary<string>> = new Map([
  ['date-time', moment],
  ['date', moment.map((value) => value.slice(0, 10))],
  ['time', moment.map((value) => value.slice(11))],
  ['email', fc.emailAddress()],
  ['uuid', fc.uuid()],
  ['uri', fc.webUrl()],
  ['hostname', fc.domain()],
  ['ipv4', fc.ipV4()],
  ['ipv6', fc.ipV6()],
  ['byte', fc.base64String()],
]);

/** Strings of a schema. */
export const stringsOf = ({
  format,
  pattern,
  minLength = 0,
  maxLength,
}: SchemaObject): fc.Arbitrary<string> => {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'));
  const lengths = { minLength, ...(maxLength !== undefined && { maxLength }) };
  return FORMATS.get(format ?? '') ?? text(lengths);
};

const int64sOf = ({ minimum, maximum, multipleOf = 1 }: SchemaObject): fc.Arbitrary<bigint> => {
  const min = minimum === undefined ? INT64.min : BigInt(Math.ceil(minimum));
  const max = maximum === undefined ? INT64.max : BigInt(Math.floor(maximum));
  const telling = TELLING_INT64S.filter((value) => value >= min && value <= max);
  const anywhere = fc.bigInt({ min, max });
  const values = telling.length === 0 ? anywhere : fc.oneof(fc.constantFrom(...telling), anywhere);
  return values.map((value) => value - (value % BigInt(multipleOf)));
};

/** Integers of a schema: bigints where it says int64. */
export const integersOf = (schema: SchemaObject): fc.Arbitrary<number | bigint> => {
  if (schema.format === 'int64') return int64sOf(schema);
  const widest =
    schema.format === 'int32' ? INT32 : { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  const step = schema.multipleOf ?? 1;
  const lowest = Math.max(widest.min, schema.minimum ?? widest.min, schema.exclusiveMinimum ?? widest.min);
  const highest = Math.min(widest.max, schema.maximum ?? widest.max, schema.exclusiveMaximum ?? widest.max);
  return fc
    .integer({ min: Math.ceil(lowest / step), max: Math.floor(highest / step) })
    .map((times) => times * step);
};

/** Numbers of a schema, fractions among them. */
export const numbersOf = (schema: SchemaObject): fc.Arbitrary<number | bigint> => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (multipleOf !== undefined || schema.format === 'int64') return integersOf(schema);
  return fc.double({
    noNaN: true,
    noDefaultInfinity: true,
    min: Math.max(minimum ?? -Number.MAX_VALUE, exclusiveMinimum ?? -Number.MAX_VALUE),
    max: Math.min(maximum ?? Number.MAX_VALUE, exclusiveMaximum ?? Number.MAX_VALUE),
  });
};

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  text(),
);

/** Any JSON value, for what a schema leaves open. */
export const anything: fc.Arbitrary<Json> = fc.oneof(
  { arbitrary: scalar, weight: 3 },
  { arbitrary: fc.array(scalar, { maxLength: 3 }), weight: 1 },
  { arbitrary: fc.dictionary(text(), scalar, { maxKeys: 3 }), weight: 1 },
);

import { isDate } from 'node:util/types';
import pg from 'pg';
import { InvalidValue } from '../errors.ts';

type Parse = (text: string) => unknown;

const { builtins, getTypeParser } = pg.types;

const asIs: Parse = (text) => text;

/** An instant in ISO 8601 and UTC, with all its microseconds. A value without such a form (`infinity`) is unchanged. */
const toInstant: Parse = (text) => {
  const instant: unknown = getTypeParser(builtins.TIMESTAMPTZ)(text);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return isDate(instant) ? instant.toISOString().replace(/\d+Z$/, `${fraction.padEnd(3, '0')}Z`) : text;
};

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [builtins.INT2, BigInt],
  [builtins.INT4, BigInt],
  [builtins.INT8, BigInt],
  [builtins.OID, BigInt],
  [builtins.FLOAT4, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, getTypeParser(builtins.BOOL)],
  [builtins.BYTEA, getTypeParser(builtins.BYTEA)],
  [builtins.TIMESTAMPTZ, toInstant],
]);

/** The element types of array types, by their numbers in pg_type. */
const ELEMENTS: ReadonlyMap<number, number> = new Map<number, number>([
  [1000, builtins.BOOL],
  [1001, builtins.BYTEA],
  [1005, builtins.INT2],
  [1007, builtins.INT4],
  [1009, builtins.TEXT],
  [1015, builtins.VARCHAR],
  [1016, builtins.INT8],
  [1021, builtins.FLOAT4],
  [1022, builtins.FLOAT8],
  [1028, builtins.OID],
  [1115, builtins.TIMESTAMP],
  [1182, builtins.DATE],
  [1185, builtins.TIMESTAMPTZ],
  [1231, builtins.NUMERIC],
  [2951, builtins.UUID],
]);

const TEXTS: number = 1009;
const parseTexts: Parse = getTypeParser(TEXTS);

const parserOf = (type: number): Parse => {
  const element = ELEMENTS.get(type);
  if (element === undefined) return PARSERS.get(type) ?? asIs;
  const parse = parserOf(element);
  const parseAll = (entry: unknown): unknown =>
    Array.isArray(entry) ? entry.map(parseAll) : typeof entry === 'string' ? parse(entry) : null;
  return (text) => parseAll(parseTexts(text));
};

/**
 * How the values of a row are given: integers as bigint, floats as number, bytea as Buffer, timestamptz as ISO 8601 in
 * UTC, arrays of these as arrays. Everything else is text, as PostgreSQL writes it: numeric, date, timestamp, and JSON too,
 * since numbers in it may be larger than JavaScript's, and since SQLite gives text as well.
 */
export const TYPES = { getTypeParser: parserOf };

/** A value as the driver takes it. A Date is sent in UTC, also to a column without a time zone. */
export const toParameter = (value: unknown): unknown => {
  if (isDate(value)) return value.toISOString();
  if (Array.isArray(value)) return value.map(toParameter);
  // The driver would put another character in the place of a lone surrogate.
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (value === null || ['bigint', 'number', 'boolean'].includes(typeof value)) return value;
  if (value instanceof Uint8Array) return value;
  const error = new TypeError(
    `a statement takes bigint, number, boolean, well-formed text, null, Uint8Array, Date and arrays of these, not ${typeof value}; pass null or JSON.stringify of it`,
  );
  throw typeof value === 'string' ? new InvalidValue(error) : error;
};

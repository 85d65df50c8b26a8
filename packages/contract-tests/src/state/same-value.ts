import { identityOf, isObject, type Json } from '../values/json.ts';
import { isNumeric, type Numeric } from '../values/numbers.ts';
import { ownOf } from '../values/schema.ts';

/** Services store timestamps with a precision of a second or better. */
const TIME_TOLERANCE_MS = 1000;

const isSameTime = (one: string, other: string): boolean => {
  const [left = Number.NaN, right = Number.NaN] = [one, other].map((text) => Date.parse(text.toUpperCase()));
  // Date.parse does not support leap seconds and years beyond its range.
  return Number.isNaN(left) || Math.abs(left - right) < TIME_TOLERANCE_MS;
};

const canonicalUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

const isSameIgnoringCase = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Compares texts of a format that has several spellings of a value. */
const SAME_BY_FORMAT: Readonly<Record<string, (one: string, other: string) => boolean>> = {
  'date-time': isSameTime,
  uri: (one, other) => canonicalUrl(one) === canonicalUrl(other),
  byte: (one, other) => Buffer.from(one, 'base64').equals(Buffer.from(other, 'base64')),
  uuid: isSameIgnoringCase,
  email: isSameIgnoringCase,
  hostname: isSameIgnoringCase,
};

/** Formats with one spelling per value. Other formats are unknown, so their texts may be rewritten. */
const EXACT = new Set(['date', 'regex', 'json-pointer', 'uri-template', 'ipv4']);

const isSameText = (one: string, other: string, formats: readonly string[]): boolean =>
  one === other ||
  formats.some((format) => ownOf(SAME_BY_FORMAT, format)?.(one, other) ?? !EXACT.has(format));

/** Compares numbers as doubles (RFC 8259, section 6), or in the precision of their format. */
const isSameNumber = (one: Numeric, other: Numeric, formats: readonly string[]): boolean => {
  if (formats.includes('int64')) return identityOf(one) === identityOf(other);
  const [left, right] = [Number(one), Number(other)];
  return left === right || (formats.includes('float') && Math.fround(left) === Math.fround(right));
};

/** Whether a service returned the scalar that was sent, in any spelling that its formats allow. */
export const isSameScalar = (sent: Json, got: Json, formats: readonly string[]): boolean => {
  if (typeof sent === 'string' && typeof got === 'string') return isSameText(sent, got, formats);
  return isNumeric(sent) && isNumeric(got)
    ? isSameNumber(sent, got, formats)
    : identityOf(sent) === identityOf(got);
};

/** Whether an encoder may omit a value or write it as null, as some do with empty values. */
export const isEmpty = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
};

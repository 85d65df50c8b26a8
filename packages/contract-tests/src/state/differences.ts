import { memberPlace, toJson } from '@trellis/openapi/internal/json';
import type { Contract, Schemas } from '../document/contract.ts';
import { shorten } from '../exchange/failure.ts';
import { identityOf, isObject, type Json, type Members, typeOf } from '../values/json.ts';
import { isNumeric, type Numeric } from '../values/numbers.ts';
import { memberSchemasOf, ownOf, type Schema } from '../values/schema.ts';

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
const isSameScalar = (sent: Json, got: Json, formats: readonly string[]): boolean => {
  if (typeof sent === 'string' && typeof got === 'string') return isSameText(sent, got, formats);
  return isNumeric(sent) && isNumeric(got)
    ? isSameNumber(sent, got, formats)
    : identityOf(sent) === identityOf(got);
};

/** Whether an encoder may omit a value or write it as null, as some do with empty values. */
const isEmpty = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
};

/** Names of members that services hide or set, whatever the schema says. */
const SECRET = /passw|secret|token|credential|api_?key|cvv|cvc|card_?number|(?:^|_)pin$/i;
const SET_BY_SERVICE =
  /^(?:created|updated|modified|inserted|deleted|last)(?:_?(?:at|on|by|date|time)|$)|^_|^e?tag$|^version$|^revision$|^links?$|^href$|^self$/i;

/** A value in a request and its counterpart in a reply, each with its schema. */
interface Pair {
  readonly sent: Json;
  readonly sentBy: Schema;
  readonly got: Json | undefined;
  readonly gotBy: Schema;
  /** The place in the body: `address.city`; empty for the body itself. */
  readonly place: string;
}

const LONGEST = 100;

const show = (value: Json | undefined): string =>
  value === undefined ? 'missing' : shorten(toJson(value), LONGEST);

const describe = ({ place, got, sent }: Pair): string =>
  `${place || 'the body'} is ${show(got)}, not ${show(sent)}`;

/** Whether the schema of a reply allows values of this type. */
const allowsType = (reply: Schemas, schema: Schema, value: Json): boolean => {
  const types = reply.typesOf(schema);
  const type = typeOf(value);
  return types.size === 0 || types.has(type) || (type === 'integer' && types.has('number'));
};

/** Whether each alternative of a schema declares a member, by name or by a schema for further members. */
const declares = ({ flatten }: Schemas, schema: Schema, name: string): boolean => {
  const flats = flatten(schema);
  const isDeclared = flats.every(
    (flat) =>
      (ownOf(flat.properties, name) !== undefined || isObject(flat.additionalProperties)) &&
      memberSchemasOf(flat, name).every((each) => flatten(each).length > 0),
  );
  return flats.length > 0 && isDeclared;
};

const formatsOf = ({ flatten }: Schemas, schema: Schema): string[] =>
  flatten(schema).flatMap(({ format }) => format ?? []);

/** Whether the service may choose the value of a member, so that it is not compared. */
const isSetByService = ({ request, reply }: Contract, { sentBy, gotBy }: Pair, name: string): boolean =>
  SECRET.test(name) ||
  SET_BY_SERVICE.test(name) ||
  !declares(request, sentBy, name) ||
  !declares(reply, gotBy, name) ||
  reply.flatten(reply.memberOf(gotBy, name)).some(({ readOnly }) => readOnly === true);

/** Whether a reply may omit an empty member, or write an empty list or object as null. */
const mayBeOmitted = ({ flatten }: Schemas, schema: Schema, name: string, sent: Json, got?: Json): boolean =>
  isEmpty(sent) &&
  (got === null
    ? typeof sent === 'object'
    : got === undefined && !flatten(schema).every(({ required = [] }) => required.includes(name)));

/** The members of an object that are compared. */
const memberPairs = (contract: Contract, pair: Pair, sent: Members, got: Members): Pair[] => {
  const { request, reply } = contract;
  const { sentBy, gotBy, place } = pair;
  return Object.entries(sent)
    .filter(([name]) => !isSetByService(contract, pair, name))
    .filter(([name, member]) => !mayBeOmitted(reply, gotBy, name, member, ownOf(got, name)))
    .map(([name, member]) => ({
      ...{ sent: member, sentBy: request.memberOf(sentBy, name) },
      ...{ got: ownOf(got, name), gotBy: reply.memberOf(gotBy, name) },
      place: place ? memberPlace(place, name) : name,
    }));
};

/** The items of a list. */
const itemPairs = ({ request, reply }: Contract, pair: Pair, sent: readonly Json[], got: readonly Json[]) =>
  sent.map((item, index) => ({
    ...{ sent: item, sentBy: request.itemOf(pair.sentBy, index) },
    ...{ got: got[index], gotBy: reply.itemOf(pair.gotBy, index) },
    place: `${pair.place}[${index}]`,
  }));

/** Compares lists without regard to order. Items that a service may write differently are not compared. */
const isSameSet = (request: Schemas, schema: Schema, ...lists: readonly (readonly Json[])[]): boolean => {
  const isComparable =
    lists[0]?.every((each) => each === null || typeof each !== 'object') &&
    formatsOf(request, request.itemOf(schema, 0)).length === 0;
  const [one, other] = lists.map((list) => list.map(identityOf).sort().join());
  return !isComparable || one === other;
};

/** Describes the differences of a pair, each with its place. */
const compare = (contract: Contract, pair: Pair): string[] => {
  const { request, reply } = contract;
  const { sent, sentBy, got, gotBy } = pair;
  const differs = [describe(pair)];
  if (sent === null) {
    const hasDefault = request.flatten(sentBy).some(({ default: fallback }) => fallback !== undefined);
    return got === undefined || isEmpty(got) || hasDefault ? [] : differs;
  }
  if (!allowsType(reply, gotBy, sent)) return [];
  if (Array.isArray(sent) && Array.isArray(got) && sent.length === got.length) {
    const isSet = request.flatten(sentBy).some(({ uniqueItems }) => uniqueItems);
    if (!isSet) return itemPairs(contract, pair, sent, got).flatMap((each) => compare(contract, each));
    return isSameSet(request, sentBy, sent, got) ? [] : differs;
  }
  if (isObject(sent) && isObject(got))
    return memberPairs(contract, pair, sent, got).flatMap((each) => compare(contract, each));
  if (typeof sent === 'object' || got === undefined || got === null) return differs;
  const formats = [...formatsOf(request, sentBy), ...formatsOf(reply, gotBy)];
  return isSameScalar(sent, got, formats) ? [] : differs;
};

/** Lists the members of a request that a reply shows with another value, each with its place. */
export const findDifferences = (contract: Contract, values: Omit<Pair, 'place'>): string[] =>
  compare(contract, { ...values, place: '' });

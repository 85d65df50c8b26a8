import { toJson } from '@trellis/openapi/internal/json';
import type { Contract, Schemas } from '../document/contract.ts';
import { identityOf, isObject, type Json } from '../values/json.ts';
import { isNumeric } from '../values/numbers.ts';
import { memberSchemasOf, ownOf, type Schema } from '../values/schema.ts';

/** Names of members that services keep to themselves, hide or set, whatever the schema says. */
const SECRET = /passw|secret|token|credential|api_?key|cvv|cvc|card_?number|(?:^|_)pin$/i;
const OF_SERVER =
  /^(?:created|updated|modified|inserted|deleted|last)(?:_?(?:at|on|by|date|time)|$)|^_|^e?tag$|^version$|^revision$|^links?$|^href$|^self$/i;

const LONGEST = 100;

const show = (value: Json | undefined): string => {
  if (value === undefined) return 'missing';
  const text = toJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
};

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Some encoders leave out what is empty, and write null for an empty list. */
const isEmpty = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  value === 0n ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Whether two numbers are equal in the precision of the schema; without a format, as doubles (RFC 8259, section 6). */
const isNear = (sent: Json, got: Json, formats: readonly string[]): boolean => {
  if (!isNumeric(sent) || !isNumeric(got) || formats.includes('int64')) return false;
  const [one, other] = [Number(sent), Number(got)];
  return one === other || (formats.includes('float') && Math.fround(one) === Math.fround(other));
};

/** How far apart two moments may be: services keep seconds, at the least. */
const MOST_MS = 1000;

const canonicalUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

const isSameMoment = (one: string, other: string): boolean => {
  const [left = Number.NaN, right = Number.NaN] = [one, other].map((text) => Date.parse(text.toUpperCase()));
  // A leap second, or a year that this calendar cannot hold.
  return Number.isNaN(left) || Math.abs(left - right) < MOST_MS;
};

const isSameInAnyCase = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Whether two different texts of a format mean the same. */
const SAME: Readonly<Record<string, (one: string, other: string) => boolean>> = {
  'date-time': isSameMoment,
  uri: (one, other) => canonicalUrl(one) === canonicalUrl(other),
  byte: (one, other) => Buffer.from(one, 'base64').equals(Buffer.from(other, 'base64')),
  uuid: isSameInAnyCase,
  email: isSameInAnyCase,
  hostname: isSameInAnyCase,
};

/** Formats whose texts are kept letter by letter. */
const EXACT = new Set(['date', 'regex', 'json-pointer', 'uri-template', 'ipv4']);

/** Whether a text came back as it was sent. Texts of a format may be written in another way that means the same. */
const isSameText = (one: string, other: string, formats: readonly string[]): boolean =>
  one === other ||
  formats.some((format) => {
    const same = ownOf(SAME, format);
    // Nobody knows how texts of an unknown format may be written.
    return same ? same(one, other) : !EXACT.has(format);
  });

/** Makes a function that finds what a service changed in the data it was sent, by the schemas of the request and of the reply. */
export const createDifferencesOf = ({ request, reply }: Contract) => {
  /** Whether values of a schema of a reply can be of the type of a value. */
  const canBe = (schema: Schema, value: Json): boolean => {
    const types = reply.typesOf(schema);
    const type = typeOf(value);
    return types.size === 0 || types.has(type) || (type === 'integer' && types.has('number'));
  };

  const formatsOf = (schemas: Schemas, schema: Schema): string[] =>
    schemas.flatten(schema).flatMap(({ format }) => format ?? []);

  /** Whether a schema promises a member of this name: it is listed, or every further one has a schema. */
  const promises = (schemas: Schemas, schema: Schema, name: string): boolean => {
    const flats = schemas.flatten(schema);
    return (
      flats.length > 0 &&
      flats.every((flat) => {
        const isListed = ownOf(flat.properties, name) !== undefined || isObject(flat.additionalProperties);
        return isListed && memberSchemasOf(flat, name).every((each) => schemas.flatten(each).length > 0);
      })
    );
  };

  const isReadOnly = (schema: Schema): boolean =>
    reply.flatten(schema).some(({ readOnly }) => readOnly === true);

  /** Whether a service may take a null for its default. */
  const hasDefault = (schema: Schema): boolean =>
    request.flatten(schema).some(({ default: fallback }) => fallback !== undefined);

  const isRequired = (schema: Schema, name: string): boolean =>
    reply.flatten(schema).every(({ required = [] }) => required.includes(name));

  /** What was sent and is not the same in what came back, each with its place. */
  const differencesOf = (
    sent: Json,
    sentBy: Schema,
    got: Json | undefined,
    gotBy: Schema,
    place = '',
  ): string[] => {
    const differs = [`${place || 'the body'} is ${show(got)}, not ${show(sent)}`];
    if (sent === null) return got === undefined || isEmpty(got) || hasDefault(sentBy) ? [] : differs;
    if (!canBe(gotBy, sent)) return [];
    if (got === undefined || got === null) return differs;
    if (Array.isArray(sent)) {
      if (!Array.isArray(got) || got.length !== sent.length) return differs;
      // A set has no order.
      if (request.flatten(sentBy).some(({ uniqueItems }) => uniqueItems)) {
        const scalars = sent.every((each) => !isObject(each) && !Array.isArray(each));
        const [one, other] = [sent, got].map((list) => list.map(identityOf).sort().join());
        return scalars && formatsOf(request, request.itemOf(sentBy, 0)).length === 0 && one !== other
          ? differs
          : [];
      }
      return sent.flatMap((each, index) =>
        differencesOf(
          each,
          request.itemOf(sentBy, index),
          got[index],
          reply.itemOf(gotBy, index),
          `${place}[${index}]`,
        ),
      );
    }
    if (isObject(sent)) {
      if (!isObject(got)) return differs;
      return Object.entries(sent).flatMap(([name, each]) => {
        if (SECRET.test(name) || OF_SERVER.test(name)) return [];
        if (!promises(request, sentBy, name) || !promises(reply, gotBy, name)) return [];
        const schema = reply.memberOf(gotBy, name);
        if (isReadOnly(schema)) return [];
        const value = ownOf(got, name);
        const isSpared = value === null ? typeof each === 'object' : !isRequired(gotBy, name);
        if ((value === null || value === undefined) && isEmpty(each) && isSpared) return [];
        const member = place === '' ? name : `${place}.${name}`;
        return differencesOf(each, request.memberOf(sentBy, name), value, schema, member);
      });
    }
    const formats = [...formatsOf(request, sentBy), ...formatsOf(reply, gotBy)];
    if (typeof sent === 'string' && typeof got === 'string')
      return isSameText(sent, got, formats) ? [] : differs;
    return identityOf(sent) === identityOf(got) || isNear(sent, got, formats) ? [] : differs;
  };

  return differencesOf;
};

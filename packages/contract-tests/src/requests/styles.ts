import { textOf, writePairs, writeSegment } from '@trellis/openapi/internal/http';
import { isTree, ownMember, toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Field, Parameter } from '../document/operations.ts';
import { isObject, type Json } from '../values/json.ts';

/** Names that need no encoding in brackets. */
const SAFE_NAME = /^[\w-]+$/;

/** Whether names in brackets can express a value: `a[b][0]=x`. They cannot express null, or anything empty. */
const canNest = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length > 0 && value.every(canNest);
  if (!isObject(value)) return value !== null && value !== '';
  const members = Object.entries(value);
  return members.length > 0 && members.every(([name, member]) => SAFE_NAME.test(name) && canNest(member));
};

/** Removes the parts of a value that names in brackets cannot express. */
export const keepNestable = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(keepNestable).filter(canNest);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, keepNestable(member)] as const);
  return Object.fromEntries(members.filter(([name, member]) => SAFE_NAME.test(name) && canNest(member)));
};

/** Removes parts that a style cannot express, and undeclared members of an exploded form, which look like other parameters. */
export const keepWritable = (
  { namesOf, memberOf, shapeOf }: Schemas,
  { schema, style, explode, isJson, whole }: Field,
  value: Json,
): Json => {
  if (style === 'deepObject' && !isJson) return keepNestable(value);
  if (isJson || !isObject(value) || style !== 'form' || !explode) return value;
  const known = namesOf(schema);
  const members = Object.entries(value).filter(([name]) => known.has(name));
  // In a form, a list schema reads a single text as a list.
  const isTold = ([name, member]: [string, Json]): boolean =>
    Array.isArray(member) === (shapeOf(memberOf(schema, name)) === 'array');
  return Object.fromEntries(whole === undefined ? members : members.filter(isTold));
};

/**
 * Whether a deepObject value is nested. OpenAPI does not define its serialization
 * (3.1, section 4.8.12.2), so a service may reject or ignore it.
 */
export const isUnspecified = ({ style, isJson }: Pick<Field, 'style' | 'isJson'>, value: Json): boolean =>
  style === 'deepObject' &&
  !isJson &&
  (Array.isArray(value) || (isObject(value) && Object.values(value).some(isTree)));

/** The serialization of a parameter. */
export type Style = Pick<Parameter, 'in' | 'name' | 'style' | 'explode' | 'isJson' | 'whole' | 'encoding'>;

/** The style of a member of a form: from its encoding, else `form` (OAS 3.1, section 4.8.15). */
export const styleOfField = (encoding: unknown, name: string): Style => {
  const declared = ownMember(encoding, name);
  const style = String(ownMember(declared, 'style') ?? 'form');
  const explode = Boolean(ownMember(declared, 'explode') ?? style === 'form');
  return { in: 'query', name, style, explode, isJson: false };
};

/** Characters that a cookie cannot carry unencoded (RFC 6265, section 4.1.1), and the percent sign. */
const NOT_IN_COOKIES = /[^!#$&'()*+\-./0-9:<=>?@A-Z[\]^_`a-z{|}~]/gu;

/** Encodes text. Data of a service may contain an unpaired surrogate, which URLs cannot express. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const ENCODERS: Readonly<Record<Parameter['in'], (text: string) => string>> = {
  path: encode,
  query: encode,
  header: (text) => text,
  cookie: (text) => text.replace(NOT_IN_COOKIES, encode),
};

/** Serializes a parameter: one text in a path or header, pairs in a query or cookie. */
export const writeParameter = (parameter: Style, value: Json): string[] => {
  const { in: place, name, style, explode, isJson, whole, encoding } = parameter;
  const encode = ENCODERS[place];
  const written = { name, style, explode, ...(isJson && { json: true as const }) };
  if (whole === 'form' && isObject(value))
    return Object.entries(value).flatMap(([member, each]) =>
      writeParameter(styleOfField(encoding, member), each),
    );
  if (place === 'path' || place === 'header') return [writeSegment(written, value, encode)];
  const pairs = writePairs({ ...written, ...(whole && { whole }) }, name, value, encode);
  return pairs.map((pair) => pair.join('='));
};

const VISIBLE = /^[!-~]+(?: +[!-~]+)*$/;

/** Whether a value is a string, number or boolean. */
export const isScalar = (value: Json): boolean => value !== null && typeof value !== 'object';

/** Whether a scalar can be an item of a delimited list. */
const survivesDelimiters = ({ in: place, style, explode, name }: Style, value: Json): boolean => {
  const text = textOf(value);
  if (text === '') return false;
  if (place === 'header') return !/[,=]/.test(text);
  if (style === 'spaceDelimited') return !/[ +]/.test(text);
  if (style === 'pipeDelimited') return !text.includes('|');
  return !(style === 'label' && explode && text.includes('.')) && name !== '';
};

/** Whether a cookie can carry a value unencoded (OAS 3.2, section 4.12.3). */
const survivesCookie = (value: Json): boolean =>
  [isObject(value) ? Object.values(value) : value]
    .flat()
    .every((each) => textOf(each).search(NOT_IN_COOKIES) < 0);

const canWriteForm = ({ encoding }: Style, value: Json): boolean =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(([name, member]) => {
    const shape = Array.isArray(member) ? 'array' : isObject(member) ? 'object' : 'scalar';
    return SAFE_NAME.test(name) && canWrite(styleOfField(encoding, name), shape, member);
  });

/** Whether a serialized value can be parsed unambiguously. No style can express an empty list or object. */
export const canWrite = (style: Style, shape: 'scalar' | 'array' | 'object', value: Json): boolean => {
  if (style.isJson) return style.in !== 'header' || VISIBLE.test(toJson(value));
  if (style.whole === 'text') return isScalar(value) && textOf(value) !== '';
  if (style.whole) return canWriteForm(style, value);
  if (style.style === 'cookie' && !survivesCookie(value)) return false;
  if (shape === 'scalar') {
    if (!isScalar(value)) return false;
    const text = textOf(value);
    if (style.in === 'query') return true;
    if (style.in === 'path') return text !== '' && text !== '.' && text !== '..';
    return style.in === 'header' ? VISIBLE.test(text) : text !== '';
  }
  if (style.style === 'deepObject')
    return canNest(value) && (shape === 'array' ? Array.isArray(value) : isObject(value));
  if (shape === 'array')
    return (
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => isScalar(item) && survivesDelimiters(style, item)) &&
      canWrite(style, 'scalar', value.map(textOf).join())
    );
  return (
    isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(
      ([name, member]) => SAFE_NAME.test(name) && isScalar(member) && survivesDelimiters(style, member),
    ) &&
    canWrite(style, 'scalar', Object.values(value).map(textOf).join())
  );
};

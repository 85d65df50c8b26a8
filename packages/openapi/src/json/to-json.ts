import { isTree } from './pointer.ts';
import { addPart, type Encode, type EncodeStep, endDraft, startDraft, writeWhole } from './write.ts';

/** What a value is called in a message: `Map`, `Readable`, `function`. */
const kindOf = (value: unknown): string =>
  isTree(value) ? String(Object.getPrototypeOf(value)?.constructor?.name ?? 'object') : typeof value;

/**
 * Refuses what has no JSON of its own. A stream, a Map or a Promise would be written as an object that has nothing of what
 * it holds. Instances of a class are written like plain objects.
 */
const assertWritable = (value: object): void => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Array.isArray(value)) return;
  const isObject = Object.prototype.toString.call(value) === '[object Object]';
  if (!isObject || Symbol.asyncIterator in value)
    throw new TypeError(`a value of type ${kindOf(value)} cannot be written as JSON`);
};

/** The value to write: what `toJSON` returns, if the value has such a method. */
export const writtenValue = (value: unknown): unknown => {
  if (!isTree(value)) return value;
  if (typeof value.toJSON === 'function') return value.toJSON();
  assertWritable(value);
  return value;
};

/** A text, a number, a boolean or null as JSON. */
export const encodeScalar = (value: unknown): string => {
  const text = JSON.stringify(value);
  if (text === undefined && value !== undefined)
    throw new TypeError(`a value of type ${kindOf(value)} cannot be written as JSON`);
  return text ?? 'null';
};

/** A list as JSON, each item by its own step. */
export const encodeItems = (items: readonly unknown[], encodeAt: (index: number) => EncodeStep) => {
  const draft = startDraft('[');
  for (const [index, item] of items.entries()) addPart(draft, '', encodeAt(index), item);
  return endDraft(draft, ']');
};

/** An object as JSON, each member by its own step; `prefix` is its name, encoded, with a colon. */
export const encodeMembers = (
  members: readonly (readonly [prefix: string, value: unknown, encode: EncodeStep])[],
) => {
  const draft = startDraft('{');
  for (const [prefix, value, encode] of members)
    if (value !== undefined) addPart(draft, prefix, encode, value);
  return endDraft(draft, '}');
};

/** One step of writing any value. */
export const encodeAny: EncodeStep = (given) => {
  const value = writtenValue(given);
  if (typeof value === 'bigint') return `${value}`;
  if (!isTree(value)) return encodeScalar(value);
  if (Array.isArray(value)) return encodeItems(value, () => encodeAny);
  return encodeMembers(
    Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}:`, member, encodeAny]),
  );
};

/** Any value as JSON, a bigint as the bare integer that it is. */
export const toJson: Encode = (value) => writeWhole(encodeAny, value);

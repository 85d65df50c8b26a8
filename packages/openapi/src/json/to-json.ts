import { isTree } from './pointer.ts';

/** Writes a value as JSON. */
export type Encode = (value: unknown) => string;

/** Writes a value as JSON, except for the lists and objects in it, which it leaves to the caller. */
export type EncodeStep = (value: unknown) => string | readonly Piece[];

type Piece = string | { readonly encode: EncodeStep; readonly value: unknown };

/** The unfinished JSON of a list or an object. */
interface Draft {
  text: string;
  parts: Piece[] | undefined;
  /** The text before the next member or item. */
  before: string;
}

/** Starts the JSON of a list or an object. */
export const startDraft = (start: '[' | '{'): Draft => ({ text: '', parts: undefined, before: start });

/** Adds an item, or a member with its name as prefix. */
export const addPart = (draft: Draft, prefix: string, encode: EncodeStep, value: unknown): void => {
  draft.text += draft.before + prefix;
  draft.before = ',';
  const made = isTree(value) ? undefined : encode(value);
  if (typeof made === 'string') {
    draft.text += made;
    return;
  }
  draft.parts ??= [];
  draft.parts.push(draft.text, { encode, value });
  draft.text = '';
};

/** Ends the JSON of a list or an object. */
export const endDraft = ({ text, parts, before }: Draft, end: ']' | '}'): ReturnType<EncodeStep> => {
  const last = (before === ',' ? text : before) + end;
  parts?.push(last);
  return parts ?? last;
};

/** A value that is nested deeper must contain itself. A body of the default limit, 100 KiB, cannot nest as deep. */
const DEEPEST = 200_000;

/** Writes a whole value. It keeps its own stack, so that a deep reply cannot overflow the call stack. */
export const writeWhole = (encode: EncodeStep, value: unknown): string => {
  const whole = encode(value);
  if (typeof whole === 'string') return whole;
  let text = '';
  const open = [{ parts: whole, next: 0 }];
  for (let here = open.at(-1); here; here = open.at(-1)) {
    const part = here.parts[here.next];
    here.next += 1;
    if (part === undefined) {
      open.pop();
      continue;
    }
    const made = typeof part === 'string' ? part : part.encode(part.value);
    if (typeof made === 'string') text += made;
    else if (open.length < DEEPEST) open.push({ parts: made, next: 0 });
    else throw new RangeError('a reply holds itself');
  }
  return text;
};

/** The type of a value for messages: `Map`, `Readable`, `function`. */
const kindOf = (value: unknown): string =>
  isTree(value) ? String(Object.getPrototypeOf(value)?.constructor?.name ?? 'object') : typeof value;

/**
 * Throws for objects without a JSON form. A stream, a Map or a Promise would be written as an empty object. Instances
 * of a class are written like plain objects.
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
const encodeScalar = (value: unknown): string => {
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

/**
 * Writes a value as JSON, a bigint as a bare integer. Throws a TypeError for a value without a JSON form, such as a Map.
 *
 * @example
 * toJson({ id: 9007199254740993n }); // '{"id":9007199254740993}'
 */
export const toJson: Encode = (value) => writeWhole(encodeAny, value);

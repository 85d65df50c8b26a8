import { parseExact } from '@trellis/openapi/internal/json';
import { canonical, isNumeric } from './numbers.ts';

/** A JSON value with exact integers: a bigint is an integer of any size. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | Members;

/** The members of a JSON object. */
export type Members = { readonly [name: string]: Json };

/** The JSON type of a value; a number without a fraction is an integer. */
export const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Narrows to a JSON object, which an array is not. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Filters members by name. */
export const pick = (members: Members, isWanted: (name: string) => boolean): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)));

/** Removes a member. */
export const without = (members: Members, name: string): Members => pick(members, (each) => each !== name);

/** Puts a value at a path of names and indexes, or removes it with undefined. Returns undefined if its parent is missing. */
export const putAt = (
  value: Json,
  [step, ...rest]: readonly string[],
  leaf: Json | undefined,
): Json | undefined => {
  if (step === undefined) return leaf;
  if (Array.isArray(value)) {
    const item: Json | undefined = value[Number(step)];
    const changed = item === undefined ? undefined : putAt(item, rest, leaf);
    return changed === undefined ? undefined : value.with(Number(step), changed);
  }
  if (!isObject(value)) return undefined;
  if (rest.length === 0) return leaf === undefined ? without(value, step) : { ...value, [step]: leaf };
  const member = Object.hasOwn(value, step) ? value[step] : undefined;
  const changed = member === undefined ? undefined : putAt(member, rest, leaf);
  return changed === undefined ? undefined : { ...value, [step]: changed };
};

/** The items that are there: a condition may leave out an item. */
export const present = <Item>(...items: readonly (Item | undefined | false)[]): Item[] =>
  items.filter((item): item is Item => item !== undefined && item !== false);

/** Removes items with equal keys. The last such item replaces the first. */
export const distinctBy = <Item>(items: readonly Item[], by: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [by(item), item])).values(),
];

/** Serializes a value so that equal values have equal texts (JSON Schema 2020-12, section 4.2.2). */
export const identityOf = (value: unknown): string => {
  if (isNumeric(value)) return canonical(value);
  if (Array.isArray(value)) return `[${value.map(identityOf).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${identityOf(item)}`);
  return `{${members.sort().join()}}`;
};

/** A JSON text that is nested too deeply for most parsers (RFC 8259, section 9 allows a limit). */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

/** Deeper values would overflow the stack of recursive functions. */
const DEEPEST = 1000;
const BRACKET_OR_STRING = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;

const requireShallow = (text: string): void => {
  if (text.length <= DEEPEST) return;
  let depth = 0;
  for (const [token] of text.matchAll(BRACKET_OR_STRING)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth > DEEPEST) throw new TooDeep(`is nested deeper than ${DEEPEST} levels`);
  }
};

/** Parses JSON, with a bigint for each integer beyond 2^53. Throws if the text is not JSON, or nested too deeply. */
export const parseJson = (text: string): Json => {
  requireShallow(text);
  return parseExact(text);
};

/** Parses a text or a body; `undefined` if it is not JSON, or nested too deeply. */
export const readJson = (body: Buffer | string | undefined): Json | undefined => {
  try {
    return body === undefined ? undefined : parseJson(body.toString());
  } catch {
    return undefined;
  }
};

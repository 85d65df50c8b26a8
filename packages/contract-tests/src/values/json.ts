import { toJson } from '@trellis/openapi/json';
import { canonical, isNumeric } from './numbers.ts';

/** A JSON value with exact integers: a bigint is an integer of any size. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | Members;

/** The members of a JSON object. */
export type Members = { readonly [name: string]: Json };

/** Narrows to a JSON object, which an array is not. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members whose names pass. */
export const pick = (members: Members, isWanted: (name: string) => boolean): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)));

/** All members but one. */
export const without = (members: Members, name: string): Members => pick(members, (each) => each !== name);

/** A scalar as text, anything else as JSON. */
export const textOf = (value: Json): string => {
  if (typeof value === 'object' && value !== null) return toJson(value);
  return String(Object.is(value, -0) ? 0 : value);
};

/** A text that equal values share, and no others (JSON Schema 2020-12, section 4.2.2). */
export const identityOf = (value: unknown): string => {
  if (isNumeric(value)) return canonical(value);
  if (Array.isArray(value)) return `[${value.map(identityOf).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${identityOf(item)}`);
  return `{${members.sort().join()}}`;
};

const STRING_OR_NUMBER = /"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** A shorter integer fits a double; one that begins with 0 is not JSON. */
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;
const MAYBE_LONG_INTEGER = /[1-9]\d{15}/;

/** Every string that is not a name gets the mark `s`, every integer too long for a double is a string with the mark `i`. */
const mark = (text: string): string =>
  text.replace(STRING_OR_NUMBER, (token, inside: string | undefined, colon: string | undefined) => {
    if (colon !== undefined) return token;
    if (inside !== undefined) return `"s${inside}"`;
    return LONG_INTEGER.test(token) ? `"i${token}"` : token;
  });

/** JSON that nobody else has seen yet, so that it may be changed in place. */
type Fresh = null | boolean | number | bigint | string | Fresh[] | { [name: string]: Fresh };

const unmark = (value: Fresh): Fresh => {
  if (typeof value === 'string') return value.startsWith('i') ? BigInt(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = unmark(item);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) value[name] = unmark(item); // `__proto__` is its own: JSON.parse
  return value;
};

/** A JSON text that is nested so deeply that few parsers read it (RFC 8259, section 9, lets them have a limit). */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

/** More levels than this would overflow the stack of whoever walks through the value. */
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

/** Parses JSON, with a bigint for each integer that a double may round. Throws if the text is not JSON, or nested too deeply. */
export const parseJson = (text: string): Json => {
  requireShallow(text);
  return MAYBE_LONG_INTEGER.test(text) ? unmark(JSON.parse(mark(text))) : JSON.parse(text);
};

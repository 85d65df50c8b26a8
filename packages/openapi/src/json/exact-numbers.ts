import { ownMember } from './pointer.ts';

/**
 * Matches numbers that a double may not hold: a double is exact for up to 15 significant digits without an exponent, or
 * cannot be mistaken for an integer.
 */
const INEXACT = /(?<!\d)\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d)/;
/** Never matches a whole string: on a long one the regular expression would overflow its stack. */
const QUOTE_ESCAPE_OR_NUMBER = /"|\\.|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON, but gives each number that may exceed a double as its text. Returns `undefined` if there is no such
 * number. The text must be valid JSON.
 */
export const parseExactNumbers = (text: string): unknown => {
  if (!INEXACT.test(text)) return undefined;
  let inString = false;
  return JSON.parse(
    text.replace(QUOTE_ESCAPE_OR_NUMBER, (token) => {
      if (token === '"') inString = !inString;
      return inString || !INEXACT.test(token) ? token : `"${token}"`;
    }),
  );
};

/** A JSON value with exact integers: a bigint is an integer of any size. */
type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json };

/** JSON that was just parsed and has no other reference, so it may be changed in place. */
type Fresh = null | boolean | number | bigint | string | Fresh[] | { [name: string]: Fresh };

/** Puts a bigint in place of every integer that a double has rounded. */
const restoreIntegers = (value: Fresh, exact: unknown): Fresh => {
  if (typeof value === 'number')
    return typeof exact === 'string' && /^-?\d+$/.test(exact) && !Number.isSafeInteger(value)
      ? BigInt(exact)
      : value;
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      value[index] = restoreIntegers(item, ownMember(exact, `${index}`));
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      value[name] = restoreIntegers(item, ownMember(exact, name)); // `__proto__` is its own: JSON.parse
  return value;
};

/**
 * Parses JSON, with a bigint for each integer beyond 2^53. Throws a SyntaxError if the text is not JSON.
 *
 * @example
 * parseExact('{"id": 9007199254740993}'); // { id: 9007199254740993n }
 */
export const parseExact = (text: string): Json => {
  const value: Fresh = JSON.parse(text);
  const exact = parseExactNumbers(text);
  return exact === undefined ? value : restoreIntegers(value, exact);
};

/** As `parseExact`, and `undefined` if it is not JSON. */
export const tryParseExact = (text: string): Json | undefined => {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
};

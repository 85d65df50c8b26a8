/**
 * Matches numbers that a double may not hold: a double is exact for up to 15 significant digits without an exponent, or
 * cannot be mistaken for an integer.
 */
const INEXACT = /(?<!\d)\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d)/;
/** Never matches a whole string: on a long one the regular expression would overflow its stack. */
const QUOTE_ESCAPE_OR_NUMBER = /"|\\.|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON with the text of each number that a double may not hold in its place; `undefined` if there is none. The
 * text must be JSON.
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

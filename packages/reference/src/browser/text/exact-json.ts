import { isTree, parseExactNumbers } from '@trellis/openapi/json';

/** Puts a bigint in place of every integer that a double has rounded. */
const restoreIntegers = (value: unknown, exact: unknown): unknown => {
  if (typeof value === 'number')
    return typeof exact === 'string' && /^-?\d+$/.test(exact) && !Number.isSafeInteger(value)
      ? BigInt(exact)
      : value;
  if (isTree(value) && isTree(exact))
    for (const key of Object.keys(value)) value[key] = restoreIntegers(value[key], exact[key]);
  return value;
};

/** Parses JSON, with a bigint for each integer beyond 2^53. Throws a SyntaxError if it is not JSON. */
export const parseExact = (text: string): unknown =>
  restoreIntegers(JSON.parse(text), parseExactNumbers(text));

/** As `parseExact`, and `undefined` if it is not JSON. */
export const tryParseExact = (text: string): unknown => {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
};

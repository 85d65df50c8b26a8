import { type Decimal, parseDecimal } from './decimal.ts';
import { isTree, ownMember } from './pointer.ts';

/** The same text for equal numbers, however they were written: `1.50` and `15e-1`. */
const writeDecimal = ({ digits, scale }: Decimal): string => {
  if (digits === 0n) return '0';
  const text = `${digits}`;
  let zeros = 0;
  while (zeros < scale && text.at(-1 - zeros) === '0') zeros += 1;
  const significant = text.slice(0, text.length - zeros);
  return zeros === scale ? significant : `${significant}e-${scale - zeros}`;
};

const writeNumber = (value: number, source: unknown): string => {
  if (typeof source !== 'string' && Number.isSafeInteger(value)) return `${value}`;
  const decimal = parseDecimal(typeof source === 'string' ? source : `${value}`);
  return decimal ? writeDecimal(decimal) : `${value}`;
};

/**
 * A text that is the same for equal values only (JSON Schema 2020-12, section 4.2.2). Numbers are compared by the digits
 * that were sent, if those are known, and members in any order. `undefined` if the text is longer than the limit: a large
 * value is not read to the end when it cannot be equal any more.
 */
export const identityOf = (
  value: unknown,
  exact: unknown,
  limit = Number.POSITIVE_INFINITY,
): string | undefined => {
  if (typeof value === 'number') return writeNumber(value, exact);
  if (typeof value === 'string' && value.length > limit) return undefined;
  if (!isTree(value)) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  if (names.length > limit) return undefined;
  let text = '';
  for (const name of isList ? names : names.sort()) {
    const identity = identityOf(value[name], ownMember(exact, name), limit - text.length - 2);
    if (identity === undefined || text.length > limit) return undefined;
    text += `${text && ','}${isList ? '' : `${JSON.stringify(name)}:`}${identity}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
};

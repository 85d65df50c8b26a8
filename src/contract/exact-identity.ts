import { createHash } from 'node:crypto';
import { type Decimal, parseDecimal } from './decimal.ts';
import { isTree, ownMember } from './pointer.ts';

/** One text for a number, however it was written: `1.50` and `15e-1` are the same. */
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
 * A text that equal values share, and no others (JSON Schema 2020-12, section 4.2.2): numbers by the digits that were
 * sent, where those are known, and members in whatever order. `undefined` for one that is longer than the limit: of a
 * value that is larger than all it could be equal to, no more is looked at.
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

/** V8 gives all texts of one length the same hash, once they are long: a map of many would take its time. */
const LONGEST_KEY = 256;

const toKey = (text: string): string =>
  text.length > LONGEST_KEY ? `#${createHash('sha256').update(text).digest('base64')}` : text;

/**
 * A short text that equal values share, and no others. What is known of a list or an
 * object is kept, so that lists within each other that all ask about their items do not walk all that is in them again.
 */
export const keyOf = (value: unknown, exact: unknown, known: Map<unknown, string>): string => {
  if (!isTree(value)) return toKey(identityOf(value, exact) ?? '');
  const found = known.get(value);
  if (found !== undefined) return found;
  const of = (name: string): string => keyOf(value[name], ownMember(exact, name), known);
  const names = Object.keys(value);
  const key = toKey(
    Array.isArray(value)
      ? `[${names.map(of).join(',')}]`
      : `{${names
          .sort()
          .map((name) => `${JSON.stringify(name)}:${of(name)}`)
          .join(',')}}`,
  );
  known.set(value, key);
  return key;
};

import { createHash } from 'node:crypto';
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

/** V8 gives long texts of the same length the same hash, so a map of many would be slow. */
const LONGEST_KEY = 256;

const toKey = (text: string): string =>
  text.length > LONGEST_KEY ? `#${createHash('sha256').update(text).digest('base64')}` : text;

/** The keys of the lists and objects in a value, as far as they are known. */
export interface KnownKeys {
  readonly ofNodes: Map<unknown, string>;
  readonly ofTexts: Map<string, string>;
}

/** Starts with no keys. */
export const createKnownKeys = (): KnownKeys => ({ ofNodes: new Map(), ofTexts: new Map() });

/**
 * A short text that is the same for equal values only. Each list and object gets a number by the keys of its members, so
 * its key is short however deep it is, and nested lists with `uniqueItems` walk nothing twice.
 */
export const keyOf = (value: unknown, exact: unknown, known: KnownKeys): string => {
  if (!isTree(value)) return toKey(identityOf(value, exact) ?? '');
  const found = known.ofNodes.get(value);
  if (found !== undefined) return found;
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  let text = isList ? '[' : '{';
  for (const name of isList ? names : names.sort()) {
    const before = isList ? ',' : `,${JSON.stringify(name)}:`;
    text += before + keyOf(value[name], exact === undefined ? undefined : ownMember(exact, name), known);
  }
  const key = known.ofTexts.get(text) ?? `#${known.ofTexts.size}`;
  known.ofTexts.set(text, key);
  known.ofNodes.set(value, key);
  return key;
};

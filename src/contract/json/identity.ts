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

/** What is known of the lists and objects of a value. */
export interface KnownKeys {
  readonly ofNodes: Map<unknown, string>;
  readonly ofTexts: Map<string, string>;
}

/** Nothing is known yet. */
export const createKnownKeys = (): KnownKeys => ({ ofNodes: new Map(), ofTexts: new Map() });

/**
 * A short text that equal values share, and no others. Each list and object gets a number by the keys of what is in it:
 * however deep it is, its key is short, and lists within each other that all ask about their items walk nothing twice.
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

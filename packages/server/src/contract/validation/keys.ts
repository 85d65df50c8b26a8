import { createHash } from 'node:crypto';
import { identityOf, isTree, ownMember } from '@trellis/openapi/json';

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

import { createHash } from 'node:crypto';
import { identityOf, isTree, ownMember } from '@trellis/openapi/internal/json';

/** V8 hashes long texts of the same length alike, so a map with many of them would be slow. */
const LONGEST_KEY = 256;

const toKey = (text: string): string =>
  text.length > LONGEST_KEY ? `#${createHash('sha256').update(text).digest('base64')}` : text;

/**
 * Returns a short text that is the same for equal values only. The key of a list or an object is built from the keys of
 * its members and kept in `known`, so that nested lists with `uniqueItems` are walked once.
 */
export const keyOf = (value: unknown, exact: unknown, known: Map<unknown, string>): string => {
  if (!isTree(value)) return toKey(identityOf(value, exact) ?? '');
  const found = known.get(value);
  if (found !== undefined) return found;
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  let text = isList ? '[' : '{';
  for (const name of isList ? names : names.sort()) {
    const before = isList ? ',' : `,${JSON.stringify(name)}:`;
    text += before + keyOf(value[name], exact === undefined ? undefined : ownMember(exact, name), known);
  }
  const key = toKey(text + (isList ? ']' : '}'));
  known.set(value, key);
  return key;
};

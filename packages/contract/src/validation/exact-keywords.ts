import { createHash } from 'node:crypto';
import {
  compareDecimals,
  type Decimal,
  identityOf,
  isMultipleOf,
  isTree,
  ownMember,
  parseDecimal,
  toInt64,
} from '@trellis/openapi/internal/json';
import type { AnySchemaObject, KeywordDefinition, SchemaValidateFunction } from 'ajv';
import { exactOf, joinEdits, type ValidationContext, type ValuePlace } from './validation-context.ts';

/** How a keyword compares two numbers. */
interface ExactBound {
  readonly sign: string;
  readonly holds: (sent: Decimal, bound: Decimal) => boolean;
}

const comparing =
  (holds: (order: number) => boolean): ExactBound['holds'] =>
  (sent, bound) =>
    holds(compareDecimals(sent, bound));

/**
 * The keywords of JSON Schema that compare numbers. Ours do so by the digits, where doubles would be wrong: beyond 2^53,
 * and for multiples of 0.01, say.
 */
export const EXACT_BOUNDS: Readonly<Record<string, ExactBound>> = {
  minimum: { sign: '>=', holds: comparing((order) => order >= 0) },
  maximum: { sign: '<=', holds: comparing((order) => order <= 0) },
  exclusiveMinimum: { sign: '>', holds: comparing((order) => order > 0) },
  exclusiveMaximum: { sign: '<', holds: comparing((order) => order < 0) },
  multipleOf: { sign: 'a multiple of', holds: isMultipleOf },
};

/**
 * Returns our name for a keyword of JSON Schema. All our keywords begin with `x-`: `withoutSpare` drops such keywords
 * from the schemas of a document, so a document cannot use ours.
 */
export const exactName = (keyword: string): string => `x-exact-${keyword}`;

/** V8 hashes long texts of the same length alike, so a map with many of them would be slow. */
const LONGEST_DIGEST = 256;

const digest = (text: string): string =>
  text.length > LONGEST_DIGEST ? `#${createHash('sha256').update(text).digest('base64')}` : text;

/**
 * Returns a short text that is the same for equal values only. The digest of a list or an object is made of the digests
 * of its members and kept in `known`, so that nested lists with `uniqueItems` are walked once.
 */
const digestOf = (value: unknown, exact: unknown, known: Map<unknown, string>): string => {
  if (!isTree(value)) return digest(identityOf(value, exact) ?? '');
  const found = known.get(value);
  if (found !== undefined) return found;
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  let text = isList ? '[' : '{';
  for (const name of isList ? names : names.sort()) {
    const before = isList ? ',' : `,${JSON.stringify(name)}:`;
    text += before + digestOf(value[name], exact === undefined ? undefined : ownMember(exact, name), known);
  }
  const made = digest(text + (isList ? ']' : '}'));
  known.set(value, made);
  return made;
};

const hasUniqueItems: SchemaValidateFunction = function (
  this: ValidationContext,
  isWanted: boolean,
  items: readonly unknown[],
  _parent?: AnySchemaObject,
  at?: ValuePlace,
): boolean {
  if (!isWanted || items.length < 2) return true;
  const source = exactOf(this, items, at);
  this.digests ??= new Map();
  const places = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const made = digestOf(item, ownMember(source, `${i}`), this.digests);
    const j = places.get(made);
    if (j !== undefined) {
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
      hasUniqueItems.errors = [{ keyword: 'uniqueItems', params: { i, j }, message }];
      return false;
    }
    places.set(made, i);
  }
  return true;
};

/** Ajv's own compares doubles, and every pair of lists and objects: a body of many small ones would take seconds. */
export const UNIQUE_ITEMS = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: hasUniqueItems,
} as const satisfies KeywordDefinition;

/** A keyword that is given the digits of a number beside its double. */
const exactKeyword = <Schema, Value>(
  definition: Pick<KeywordDefinition, 'type' | 'schemaType'> & { readonly keyword: string },
  holds: (schema: Schema, value: Value, exact: unknown) => boolean,
): KeywordDefinition => ({
  ...definition,
  errors: false,
  validate(
    this: ValidationContext,
    schema: Schema,
    value: Value,
    _parent?: AnySchemaObject,
    at?: ValuePlace,
  ): boolean {
    return holds(schema, value, exactOf(this, value, at));
  },
});

/** Whether a value is listed; the list holds the identity of each value. */
const isListed = (identities: string | readonly string[], value: unknown, exact: unknown): boolean => {
  const all = [identities].flat();
  const longest = Math.max(...all.map(({ length }) => length));
  const identity = identityOf(value, exact, longest);
  return identity !== undefined && all.includes(identity);
};

/** Validates an int64. Where the types promise a bigint, it becomes one. */
const INT64 = {
  keyword: 'x-int64',
  type: 'number',
  schemaType: 'boolean',
  errors: false,
  validate(
    this: ValidationContext,
    isBigint: boolean,
    sent: number,
    _parent?: AnySchemaObject,
    at?: ValuePlace,
  ): boolean {
    const value = toInt64(sent, exactOf(this, sent, at));
    if (value !== undefined && isBigint && at?.parentData)
      this.edits = joinEdits(this.edits, {
        holder: at.parentData,
        key: at.parentDataProperty,
        value,
        isNew: false,
      });
    return value !== undefined;
  },
} as const satisfies KeywordDefinition;

/** These are keywords, not formats: Ajv passes a format the double only, but a keyword its place too, to look up the digits. */
export const EXACT_KEYWORDS: readonly KeywordDefinition[] = [
  INT64,
  exactKeyword({ keyword: exactName('enum'), schemaType: 'array' }, isListed),
  exactKeyword({ keyword: exactName('const'), schemaType: 'string' }, isListed),
  ...Object.entries(EXACT_BOUNDS).map(([keyword, { holds }]) =>
    exactKeyword(
      { keyword: exactName(keyword), type: 'number', schemaType: 'string' },
      (schema: string, value: number, exact) => {
        const sent = (typeof exact === 'string' && parseDecimal(exact)) || parseDecimal(String(value));
        const bound = parseDecimal(schema);
        return sent !== undefined && bound !== undefined && holds(sent, bound);
      },
    ),
  ),
];

import type { AnySchemaObject, KeywordDefinition, SchemaValidateFunction } from 'ajv';
import { compareDecimals, type Decimal, isMultipleOf, parseDecimal } from './decimal.ts';
import { identityOf } from './exact-identity.ts';
import { toInt64 } from './int64.ts';
import { ownMember, valueAt } from './pointer.ts';

/** What a compiled schema is called on (`this`): the exact tree beside the value, see `Json`. */
export interface Exactness {
  readonly exact: unknown;
}

/**
 * Bounds as numbers are compared in their own digits, where those of doubles would lie: beyond 2^53, and in steps
 * such as 0.01. Each is the keyword of JSON Schema that it stands in for.
 */
export const EXACT_BOUNDS = {
  exactMinimum: { keyword: 'minimum', sign: '>=', holds: (one, other) => compareDecimals(one, other) >= 0 },
  exactMaximum: { keyword: 'maximum', sign: '<=', holds: (one, other) => compareDecimals(one, other) <= 0 },
  exactExclusiveMinimum: {
    keyword: 'exclusiveMinimum',
    sign: '>',
    holds: (one, other) => compareDecimals(one, other) > 0,
  },
  exactExclusiveMaximum: {
    keyword: 'exclusiveMaximum',
    sign: '<',
    holds: (one, other) => compareDecimals(one, other) < 0,
  },
  exactMultipleOf: { keyword: 'multipleOf', sign: 'a multiple of', holds: isMultipleOf },
} as const satisfies Record<
  string,
  { keyword: string; sign: string; holds: (one: Decimal, other: Decimal) => boolean }
>;

/** The number as it was sent, where that is known. */
const sourceOf = ({ exact }: Exactness, at: { instancePath: string } | undefined): unknown =>
  exact === undefined ? undefined : valueAt(exact, at?.instancePath ?? '');

function isInt64(
  this: Exactness,
  _schema: unknown,
  value: number,
  _parent?: AnySchemaObject,
  at?: { instancePath: string },
): boolean {
  return toInt64(value, sourceOf(this, at)) !== undefined;
}

const hasUniqueItems: SchemaValidateFunction = function (
  this: Exactness,
  isWanted: boolean,
  items: readonly unknown[],
  _parent?: AnySchemaObject,
  at?: { instancePath: string },
): boolean {
  if (!isWanted) return true;
  const source = sourceOf(this, at);
  const places = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const identity = identityOf(item, ownMember(source, `${i}`));
    const j = places.get(identity);
    if (j !== undefined) {
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
      hasUniqueItems.errors = [{ keyword: 'uniqueItems', params: { i, j }, message }];
      return false;
    }
    places.set(identity, i);
  }
  return true;
};

/** Ajv's own compares doubles, and lists and objects each with each: a body of small ones would hold it up for seconds. */
export const UNIQUE_ITEMS = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: hasUniqueItems,
} as const satisfies KeywordDefinition;

/** A value that is one of those listed, each of which stands there by its identity. */
function isListed(
  this: Exactness,
  identities: string | readonly string[],
  value: unknown,
  _parent?: AnySchemaObject,
  at?: { instancePath: string },
): boolean {
  return [identities].flat().includes(identityOf(value, sourceOf(this, at)));
}

/** Ajv gives a format nothing but the double; a keyword learns the place too, and finds the digits there. */
export const EXACT_KEYWORDS: readonly KeywordDefinition[] = [
  { keyword: 'int64', type: 'number', schemaType: 'boolean', validate: isInt64, errors: false },
  { keyword: 'exactEnum', schemaType: 'array', validate: isListed, errors: false },
  { keyword: 'exactConst', schemaType: 'string', validate: isListed, errors: false },
  ...Object.entries(EXACT_BOUNDS).map(
    ([keyword, { holds }]): KeywordDefinition => ({
      keyword,
      type: 'number',
      schemaType: 'string',
      errors: false,
      validate(
        this: Exactness,
        schema: string,
        value: number,
        _parent?: AnySchemaObject,
        at?: { instancePath: string },
      ): boolean {
        const source = sourceOf(this, at);
        const sent = (typeof source === 'string' && parseDecimal(source)) || parseDecimal(String(value));
        const bound = parseDecimal(schema);
        return sent !== undefined && bound !== undefined && holds(sent, bound);
      },
    }),
  ),
];

import { ownMember } from '@trellis/openapi/internal/json';
import { _, type FuncKeywordDefinition, str } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { identityOf, isObject } from '../values/json.ts';
import { compare, isMultiple, isNumeric, type Numeric } from '../values/numbers.ts';

/** Returns the original of a value that was converted to doubles for Ajv. */
type ExactOf = (value: unknown, context: DataValidationCxt | undefined) => unknown;

const NUMBER_KEYWORDS: Readonly<
  Record<string, readonly [text: string, holds: (value: Numeric, bound: Numeric) => boolean]>
> = {
  minimum: ['>=', (value, bound) => compare(value, bound) >= 0],
  maximum: ['<=', (value, bound) => compare(value, bound) <= 0],
  exclusiveMinimum: ['>', (value, bound) => compare(value, bound) > 0],
  exclusiveMaximum: ['<', (value, bound) => compare(value, bound) < 0],
  multipleOf: ['multiple of', isMultiple],
};

/** Keywords that need the exact value of a number: bounds, `multipleOf`, and comparisons. */
export const createExactKeywords = (exactOf: ExactOf): FuncKeywordDefinition[] => [
  ...Object.entries(NUMBER_KEYWORDS).map(
    ([keyword, [text, holds]]): FuncKeywordDefinition => ({
      keyword,
      type: 'number',
      compile: (bound: Numeric) => (value, context) => {
        const exact = exactOf(value, context);
        return isNumeric(exact) && holds(exact, bound);
      },
      error: { message: ({ schemaCode }) => str`must be ${text} ${schemaCode}` },
    }),
  ),
  {
    keyword: 'enum',
    compile: (allowed: readonly unknown[]) => {
      const identities = new Set(allowed.map(identityOf));
      return (value, context) => identities.has(identityOf(exactOf(value, context)));
    },
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
  },
  {
    keyword: 'const',
    compile: (only: unknown) => (value, context) => identityOf(only) === identityOf(exactOf(value, context)),
    error: {
      message: 'must be equal to constant',
      params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
    },
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    compile: (isWanted: boolean) => (items, context) => {
      const exact = exactOf(items, context);
      return !isWanted || !Array.isArray(exact) || new Set(exact.map(identityOf)).size === exact.length;
    },
    error: { message: 'must NOT have duplicate items' },
  },
];

/** The first integer beyond int64. */
export const INT64_END = 2 ** 63;

/** Converts an integer for Ajv's formats. Near the limits of int64 it stays on the same side of them. */
const toDouble = (value: bigint): number => {
  const double = Number(value);
  if (double === INT64_END && value < double) return INT64_END - 1024;
  return double === -INT64_END && value < double ? -INT64_END - 2048 : double;
};

/** Converts bigints to doubles for Ajv, and finds the original of a converted value. */
export const createDoubles = () => {
  const exacts = new WeakMap<object, unknown>();
  const original = (value: object): unknown => exacts.get(value) ?? value;

  const toDoubles = (value: unknown): unknown => {
    if (typeof value === 'bigint') return toDouble(value);
    if (Array.isArray(value)) return listOf(value);
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, item]) => [name, toDoubles(item)] as const);
    if (entries.every(([name, double]) => double === value[name])) return value;
    const copy = Object.fromEntries(entries);
    exacts.set(copy, value);
    return copy;
  };
  const listOf = (values: readonly unknown[]): readonly unknown[] => {
    const copy = values.map(toDoubles);
    if (copy.every((item, index) => item === values[index])) return values;
    exacts.set(copy, values);
    return copy;
  };

  /** Numbers have no identity, so a number is looked up in the object or array that contains it. */
  const exactOf: ExactOf = (value, context) => {
    if (typeof value !== 'number') return isObject(value) || Array.isArray(value) ? original(value) : value;
    return context ? ownMember(original(context.parentData), `${context.parentDataProperty}`) : value;
  };

  return { listOf, exactOf };
};

import { _, type FuncKeywordDefinition, str } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { identityOf } from '../values/json.ts';
import { compare, isMultiple, type Numeric } from '../values/numbers.ts';

/** The original of a value that was copied for Ajv, which has doubles only. */
export type ExactOf = (value: unknown, context: DataValidationCxt | undefined) => unknown;

const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';

const NUMBER_KEYWORDS: Readonly<
  Record<string, readonly [text: string, holds: (value: Numeric, bound: Numeric) => boolean]>
> = {
  minimum: ['>=', (value, bound) => compare(value, bound) >= 0],
  maximum: ['<=', (value, bound) => compare(value, bound) <= 0],
  exclusiveMinimum: ['>', (value, bound) => compare(value, bound) > 0],
  exclusiveMaximum: ['<', (value, bound) => compare(value, bound) < 0],
  multipleOf: ['multiple of', isMultiple],
};

/** The keywords that depend on the exact value of a number: bounds, `multipleOf`, and all that compare for equality. */
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

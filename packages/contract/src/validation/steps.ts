import { isTree } from '@trellis/openapi/internal/json';
import type { KeywordDefinition } from 'ajv';
import type { ValidationContext } from './validation-context.ts';

/** How many steps finding all violations may take: some milliseconds' worth. */
export const MOST_STEPS = 20_000;

/** Thrown when validation takes more steps. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps';
}

/** A schema may visit all members of a value, or all characters of a text. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length / 32;
  if (!isTree(value)) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
};

/** Counts the steps of a schema for a value. The keyword is in each schema; its value is the least number of steps. */
export const STEPS = {
  keyword: 'x-steps',
  schemaType: 'number',
  errors: false,
  validate(this: ValidationContext, steps: number, value: unknown): boolean {
    this.steps -= steps + sizeOf(value);
    if (this.steps < 0) throw new OutOfSteps();
    return true;
  },
} as const satisfies KeywordDefinition;

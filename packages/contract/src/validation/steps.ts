import { isTree } from '@trellis/openapi/internal/json';
import type { KeywordDefinition } from 'ajv';
import type { ValidationContext } from './validation-context.ts';

/** The keyword that counts steps, in each schema of the document that Ajv gets. */
export const STEPS_KEYWORD = 'x-steps';

/** How many steps finding all violations may take: some milliseconds' worth. */
export const MOST_STEPS = 20_000;

/** Thrown when validation takes more steps. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps';
}

/** The least steps that a schema takes for a value: each required member may be missing. */
export const stepsOf = ({ required }: Readonly<Record<string, unknown>>): number =>
  1 + (Array.isArray(required) ? required.length : 0);

/** A schema may visit all members of a value, or all characters of a text. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length / 32;
  if (!isTree(value)) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
};

/** Counts the steps of a schema for a value. */
export const STEPS: KeywordDefinition = {
  keyword: STEPS_KEYWORD,
  schemaType: 'number',
  errors: false,
  validate(this: ValidationContext, steps: number, value: unknown): boolean {
    this.steps -= steps + sizeOf(value);
    if (this.steps < 0) throw new OutOfSteps();
    return true;
  },
};

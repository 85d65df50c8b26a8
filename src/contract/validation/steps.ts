import type { KeywordDefinition } from 'ajv';
import { isTree } from '../json/pointer.ts';
import type { ValidationContext } from '../schema/validation-context.ts';

/** The keyword that counts what is looked at, in each schema of the document that Ajv is given. */
export const STEPS_KEYWORD = 'steps';

/** How much is looked at to tell every violation, not just the first: some milliseconds' worth. */
export const MOST_STEPS = 20_000;

/** Thrown where more would have to be looked at. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps';
}

/** What one look costs at least: each member that is required can be missing. */
export const stepsOf = ({ required }: Readonly<Record<string, unknown>>): number =>
  1 + (Array.isArray(required) ? required.length : 0);

/** A schema may go through the members of a value, or the characters of a text. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length / 32;
  if (!isTree(value)) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
};

/** Counts a look of a schema at a value. */
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

import { isTree, ownMember, type Tree } from '@trellis/openapi/internal/json';
import type { ErrorObject, KeywordDefinition, ValidateFunction } from 'ajv';

/** A change that decodes a member, or an item, of a value. */
export interface Edit {
  readonly holder: Tree;
  readonly key: string | number;
  /** What to replace it with; `undefined` removes it. */
  readonly value: unknown;
  /** Whether it only adds a member: one that was sent stays. */
  readonly isNew: boolean;
}

/** The edits of a value: none, one, or two parts of them. Several schemas may share a part. */
export type Edits = Edit | { readonly first: Edits; readonly second: Edits } | undefined;

/** Joins edits, in their order. */
export const joinEdits = (first: Edits, second: Edits): Edits => {
  if (first === undefined) return second;
  return second === undefined ? first : { first, second };
};

/** Why a schema refuses a value; `null` if it accepts the value. */
export type Errors = readonly ErrorObject[] | null;

/** The result of validating a value by a schema. */
interface Outcome {
  readonly errors: Errors;
  readonly edits: Edits;
}

/**
 * The state of one value while it is validated and decoded. Every compiled schema is called on it (`this`), so that
 * nothing about the value is computed twice, however many schemas need it.
 */
export interface ValidationContext {
  readonly value: unknown;
  /** The exact tree beside the value; see `ExactValue`. */
  readonly exact: unknown;
  /** The object that holds the value: an int64 is replaced there. */
  readonly holder: Tree;
  /** The exact tree of each list and object in the value. */
  exactTrees: Map<unknown, unknown> | undefined;
  /** The outcomes of each schema that is referred to, by list and object. */
  outcomes: Map<unknown, Map<unknown, Outcome>> | undefined;
  /** The errors that the last reference to a schema has found. */
  refused: Errors;
  /** The edits that the schemas which accept the value ask for. They are made once all of it is validated. */
  edits: Edits;
  /** The digest of each list and object; see `digestOf`. */
  digests: Map<unknown, string> | undefined;
  /** How many steps validation may still take; see `STEPS`. */
  steps: number;
}

/** Starts the validation of a value. */
export const createValidationContext = (
  value: unknown,
  exact: unknown,
  holder: Tree = {},
): ValidationContext => ({
  value,
  exact,
  holder,
  exactTrees: undefined,
  outcomes: undefined,
  refused: null,
  edits: undefined,
  digests: undefined,
  steps: 0,
});

/** The place of a value, as passed by Ajv. */
export type ValuePlace = Parameters<ValidateFunction>[1];

const pairTrees = (value: unknown, exact: unknown): Map<unknown, unknown> => {
  const pairs = new Map<unknown, unknown>();
  const pending = [value, exact];
  while (pending.length > 0) {
    const other = pending.pop();
    const one = pending.pop();
    if (!isTree(one) || !isTree(other)) continue;
    pairs.set(one, other);
    for (const name of Object.keys(other)) if (isTree(other[name])) pending.push(one[name], other[name]);
  }
  return pairs;
};

/**
 * Returns the exact tree of a value. The lookup uses its parent: walking there would take time in proportion to its
 * depth.
 */
export const exactOf = (context: ValidationContext, value: unknown, place: ValuePlace): unknown => {
  if (context.exact === undefined) return undefined;
  if (value === context.value) return context.exact;
  context.exactTrees ??= pairTrees(context.value, context.exact);
  if (isTree(value)) return context.exactTrees.get(value);
  return ownMember(context.exactTrees.get(place?.parentData), String(place?.parentDataProperty));
};

/** How many steps finding all violations may take: some milliseconds' worth. */
export const MOST_STEPS = 20_000;

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
    if (this.steps < 0) throw new RangeError('validation takes too many steps');
    return true;
  },
} as const satisfies KeywordDefinition;

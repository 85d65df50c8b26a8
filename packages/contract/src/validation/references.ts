import { getOrInsert, isTree, MOST_COUNTED, oncePerKey } from '@trellis/openapi/internal/json';
import { _, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { CALL, takeErrors } from './describe-errors.ts';
import {
  createValidationContext,
  joinEdits,
  type ValidationContext,
  type ValuePlace,
} from './validation-context.ts';

/** A schema that refers to the one at a pointer of the document. */
export const schemaRef = (pointer: string): Record<string, string> => ({ [CALL]: pointer });

/** Whether another schema accepts a value. The errors of one that does not are left in the context. */
export type Check = (this: ValidationContext, value: unknown, place: ValuePlace) => boolean;

/** Finds the check of the schema at a pointer. */
export type CheckAt = (pointer: string) => Check;

/** Whether a schema accepts a value, given with its exact tree. The value may be a part of the context's value. */
export type Accepts = (value: unknown, exact: unknown, context?: ValidationContext) => boolean;

/** Finds whether the schema at a pointer accepts a value. */
export type AcceptsAt = (pointer: string) => Accepts;

/** The error of a keyword that passes on the errors of other schemas. */
export const PASSED_ON = { message: 'is refused', params: _`{ errors: this.refused }` };

/**
 * Creates the keyword for references of an Ajv. `find` returns the schema at a pointer. Each target is compiled once,
 * for its first value: a schema may refer to itself, or to a thousand others in a row.
 *
 * An Ajv that stops at the first violation passes on one error only, and validates each list and object once by each
 * schema. Without that, two branches that both lead further down double the work with every level.
 */
export const createReferences = (ajv: Ajv2020, find: (pointer: string) => unknown, stopsAtFirst: boolean) => {
  const compile = (pointer: string): ValidateFunction => {
    const schema = find(pointer);
    if (isTree(schema) || typeof schema === 'boolean') return ajv.compile(schema);
    throw new Error(`can't resolve reference #${pointer}`);
  };

  const errorsOf = (validate: ValidateFunction) =>
    takeErrors(validate).slice(...(stopsAtFirst ? [-1] : [0, MOST_COUNTED + 1]));

  /** All in one function: the call stack limits how deep a body may be nested. */
  const checkAt: CheckAt = oncePerKey((pointer) => {
    let validate: ValidateFunction | undefined;
    const check: Check = function (value, place) {
      validate ??= compile(pointer);
      let outcomes: ReturnType<NonNullable<ValidationContext['outcomes']>['get']>;
      if (stopsAtFirst && isTree(value)) {
        this.outcomes ??= new Map();
        outcomes = getOrInsert(this.outcomes, check, () => new Map());
      }
      let outcome = outcomes?.get(value);
      if (outcome === undefined) {
        const before = this.edits;
        this.edits = undefined;
        const isAccepted = validate.call(this, value, place);
        outcome = isAccepted
          ? { errors: null, edits: this.edits }
          : { errors: errorsOf(validate), edits: undefined };
        this.edits = before;
        outcomes?.set(value, outcome);
      }
      if (outcome.errors) this.refused = outcome.errors;
      else this.edits = joinEdits(this.edits, outcome.edits);
      return outcome.errors === null;
    };
    return check;
  });

  const acceptsAt: AcceptsAt = (pointer) => {
    const check = checkAt(pointer);
    return (value, exact, known) => {
      const context = known && isTree(value) ? known : createValidationContext(value, exact);
      const { edits } = context;
      const isAccepted = check.call(context, value, undefined);
      context.edits = edits; // only a question
      return isAccepted;
    };
  };

  const keyword: FuncKeywordDefinition = {
    keyword: CALL,
    schemaType: 'string',
    before: 'type',
    errors: false,
    error: PASSED_ON,
    compile: checkAt,
  };
  return { keyword, checkAt, acceptsAt };
};

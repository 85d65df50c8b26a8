import { getOrInsert, isTree, MOST_COUNTED } from '@trellis/openapi/internal/json';
import { _, type AnySchema, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { CALL, takeErrors } from './describe-errors.ts';
import type { Outcome, ValidationContext, ValuePlace } from './validation-context.ts';

/** The keyword of a schema with `unevaluatedProperties` or `unevaluatedItems`. It holds the pointer of the schema. */
export const UNEVALUATED = 'x-unevaluated';

/** The keyword of a base whose discriminator names subtypes. It holds the pointer of the base. */
export const SUBTYPES = 'x-subtypes';

/** A schema that refers to the one at a pointer of the document. */
export const schemaRef = (pointer: string): object => ({ [CALL]: pointer });

/**
 * How many schemas are compiled one inside the other; the next one waits for its first value. Each takes some 45 calls, so
 * a thousand in a row would overflow the call stack.
 */
const DEEPEST = 30;

/** A schema that others refer to. */
interface Target {
  readonly schema: AnySchema;
  /** `undefined` until it is compiled. */
  validate: ValidateFunction | undefined;
  /**
   * Whether to remember the outcome for each list and object: the schema is, or may be, recursive, or is checked twice.
   */
  isRemembered: boolean;
}

/** Whether another schema accepts a value. The errors of one that does not are left in the context. */
export type Check = (this: ValidationContext, value: unknown, at: ValuePlace) => boolean;

/** The outcomes of a target for lists and objects. */
const outcomesOf = (context: ValidationContext, target: Target): Map<unknown, Outcome> => {
  context.outcomes ??= new Map();
  return getOrInsert(context.outcomes, target, () => new Map());
};

/** The error of a keyword that passes on the errors of other schemas. */
export const PASSED_ON = { message: 'is refused', params: _`{ errors: this.refused }` };

/**
 * Creates the keyword for references of an Ajv. `find` returns the schema at a pointer. Each target is compiled once,
 * however many schemas refer to it.
 *
 * An Ajv that stops at the first violation passes on one error only, and validates each list and object once by a
 * recursive schema, and remembers the outcome. Without that, two branches that both lead further down double the work
 * with every level.
 */
export const createReferences = (ajv: Ajv2020, find: (pointer: string) => unknown, verdictOnly: boolean) => {
  const targets = new Map<string, Target>();
  let depth = 0;

  const compile = (target: Target): ValidateFunction => {
    depth += 1;
    try {
      target.validate = ajv.compile(target.schema);
      return target.validate;
    } finally {
      depth -= 1;
    }
  };

  const targetAt = (pointer: string): Target => {
    const known = targets.get(pointer);
    if (known) {
      known.isRemembered ||= known.validate === undefined; // it refers to itself
      return known;
    }
    const schema = find(pointer);
    if (!isTree(schema) && typeof schema !== 'boolean')
      throw new Error(`can't resolve reference #${pointer}`);
    const isAskedAgain = isTree(schema) && UNEVALUATED in schema; // what its branches evaluate
    const isLate = depth >= DEEPEST;
    const target: Target = { schema, validate: undefined, isRemembered: isAskedAgain || isLate };
    targets.set(pointer, target);
    try {
      if (!isLate) compile(target);
    } catch (error) {
      targets.delete(pointer);
      throw error;
    }
    return target;
  };

  const errorsOf = (validate: ValidateFunction): Outcome => {
    const errors = takeErrors(validate);
    return verdictOnly ? errors.slice(-1) : errors.slice(0, MOST_COUNTED + 1);
  };

  /** All in one function: the call stack limits how deep a body may be nested. */
  const checkBy = (pointer: string): Check => {
    const target = targetAt(pointer);
    return function (value, at) {
      const validate = target.validate ?? compile(target);
      const known =
        verdictOnly && target.isRemembered && isTree(value) ? outcomesOf(this, target) : undefined;
      let errors = known?.get(value);
      if (errors === undefined) {
        errors = validate.call(this, value, at) ? null : errorsOf(validate);
        known?.set(value, errors);
      }
      if (errors) this.refused = errors;
      return errors === null;
    };
  };

  const keyword: FuncKeywordDefinition = {
    keyword: CALL,
    schemaType: 'string',
    before: 'type',
    errors: false,
    error: PASSED_ON,
    compile: checkBy,
  };
  return { keyword, checkBy };
};

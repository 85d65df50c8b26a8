import { getOrInsert, isTree, MOST_COUNTED } from '@trellis/openapi/json';
import { _, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { takeErrors } from './describe-errors.ts';
import type { Outcome, ValidationContext, ValuePlace } from './validation-context.ts';

/** The keyword of a reference to another schema, by its pointer. */
const CALL = 'x-call';

/** The keyword of a schema with `unevaluatedProperties` or `unevaluatedItems`. It holds the pointer of the schema. */
export const UNEVALUATED = 'x-unevaluated';

/** A schema that refers to the one at a pointer of the document. */
export const schemaRef = (pointer: string): object => ({ [CALL]: pointer });

/** A schema that others refer to. */
interface Target {
  /** `undefined` while it is being compiled. */
  validate: ValidateFunction | undefined;
  /** Whether it validates each list and object once: it refers to itself, directly or by others, or asks twice. */
  isRemembered: boolean;
}

/** Whether another schema accepts a value. The errors of one that does not are left in the context. */
export type Check = (this: ValidationContext, value: unknown, at: ValuePlace) => boolean;

/** What a target has found out about lists and objects. */
const outcomesOf = (context: ValidationContext, target: Target): Map<unknown, Outcome> => {
  context.outcomes ??= new Map();
  return getOrInsert(context.outcomes, target, () => new Map());
};

/** The errors of a keyword that passes on those of other schemas. */
export const PASSED_ON = { message: 'is refused', params: _`{ errors: this.refused }` };

/**
 * The references of an Ajv. `find` gives what stands at a pointer. Each target is compiled once, however many refer to it.
 *
 * An Ajv that stops at the first violation passes on one error only, and validates each list and object once by a
 * recursive schema, and remembers the outcome. Without that, two branches that both lead further down double the work
 * with every level.
 */
export const createReferences = (ajv: Ajv2020, find: (pointer: string) => unknown, verdictOnly: boolean) => {
  const targets = new Map<string, Target>();

  const targetAt = (pointer: string): Target => {
    const known = targets.get(pointer);
    if (known) {
      known.isRemembered ||= known.validate === undefined; // it refers to itself
      return known;
    }
    const schema = find(pointer);
    if (!isTree(schema) && typeof schema !== 'boolean')
      throw new Error(`can't resolve reference #${pointer}`);
    const isRemembered = isTree(schema) && UNEVALUATED in schema; // branches are asked again what they evaluate
    const target: Target = { validate: undefined, isRemembered };
    targets.set(pointer, target);
    try {
      target.validate = ajv.compile(schema);
    } finally {
      if (!target.validate) targets.delete(pointer);
    }
    return target;
  };

  const errorsOf = (validate: Target['validate']): Outcome => {
    const errors = validate ? takeErrors(validate) : [];
    return verdictOnly ? errors.slice(-1) : errors.slice(0, MOST_COUNTED + 1);
  };

  /** All in one function: the call stack limits how deep a body may be nested. */
  const checkBy = (pointer: string): Check => {
    const target = targetAt(pointer);
    return function (value, at) {
      const { validate, isRemembered } = target;
      const known = verdictOnly && isRemembered && isTree(value) ? outcomesOf(this, target) : undefined;
      let errors = known?.get(value);
      if (errors === undefined) {
        errors = validate?.call(this, value, at) ? null : errorsOf(validate);
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

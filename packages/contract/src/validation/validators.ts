import { once, PERHAPS_MORE, type Violation } from '@trellis/openapi/internal/json';
import type { Direction } from '@trellis/openapi/internal/schema';
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import { createAjv } from './ajv.ts';
import { toAjvDocument } from './ajv-document.ts';
import { createAccepts } from './branches.ts';
import { describeErrors, takeErrors } from './describe-errors.ts';
import { MOST_STEPS, OutOfSteps } from './steps.ts';
import type { ValidationContext } from './validation-context.ts';

/**
 * Validates the value of a context and returns its violations; an empty list if its schema accepts it. Finding all
 * violations compiles the schema a second time, which is slow for a large schema: `isOneEnough` avoids it.
 */
export type Validate = (context: ValidationContext, isOneEnough?: boolean) => readonly Violation[];

const NONE: readonly Violation[] = [];

/** All errors of a value; `undefined` if finding them takes too long, or too deep a call stack. */
const errorsWithinSteps = (
  validateAll: ValidateFunction,
  context: ValidationContext,
): readonly ErrorObject[] | undefined => {
  try {
    context.steps = MOST_STEPS;
    return validateAll.call(context, context.value) ? undefined : takeErrors(validateAll);
  } catch (error) {
    if (error instanceof OutOfSteps || error instanceof RangeError) return undefined;
    throw error;
  }
};

/**
 * Makes validators for the schemas of a document. They work in two steps: one Ajv stops at the first violation, in time
 * that is linear in the value. Only a value that it refuses is given to a second one, which finds all violations within
 * a bounded number of steps.
 */
export const createValidators = (document: unknown, direction: Direction) => {
  const made = once(() => toAjvDocument(document, direction));
  const ajv = once(() => createAjv(made(), acceptsAt, true));
  const ajvForAll = once(() => createAjv(made(), acceptsAt, false));
  const acceptsAt = createAccepts(ajv);

  const validatorOf = (validate: ValidateFunction): Validate => {
    const validateAll = once(() => ajvForAll().compile(validate.schema));
    return (context, isOneEnough = false) => {
      if (validate.call(context, context.value)) return NONE;
      const first = takeErrors(validate).slice(-1); // the last one is about the whole value
      if (isOneEnough) return describeErrors(first);
      const errors = errorsWithinSteps(validateAll(), context);
      return errors ? describeErrors(errors) : [...describeErrors(first), PERHAPS_MORE];
    };
  };

  return {
    ajv,
    acceptsAt,
    validatorOf,
    compile: (schema: AnySchema): Validate => validatorOf(ajv().compile(schema)),
  };
};

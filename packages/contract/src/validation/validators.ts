import {
  once,
  oncePerKey,
  PERHAPS_MORE,
  parseExactNumbers,
  pointerTo,
  type Violation,
} from '@trellis/openapi/internal/json';
import type { Direction } from '@trellis/openapi/internal/schema';
import type { ValidateFunction } from 'ajv';
import { createAjv } from './ajv.ts';
import { createFind } from './ajv-document.ts';
import { describeErrors, takeErrors } from './describe-errors.ts';
import type { AcceptsAt, CheckAt } from './references.ts';
import {
  createValidationContext,
  type Errors,
  MOST_STEPS,
  type ValidationContext,
} from './validation-context.ts';

/**
 * Validates the value of a context and returns its violations; an empty list if its schema accepts it. Finding all
 * violations compiles the schema a second time, which is slow for a large schema: `isOneEnough` avoids it.
 */
export type Validate = (context: ValidationContext, isOneEnough?: boolean) => readonly Violation[];

/** The errors of the value of a context; `null` if its schema accepts it. */
type FindErrors = (context: ValidationContext) => Errors;

const NONE: readonly Violation[] = [];

/** All errors of a value; `null` if finding them takes too long, or too deep a call stack. */
const errorsWithinSteps = (findErrors: FindErrors, context: ValidationContext): Errors => {
  try {
    context.steps = MOST_STEPS;
    return findErrors(context);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

const createValidator =
  (findFirst: FindErrors, findAll: FindErrors): Validate =>
  (context, isOneEnough = false) => {
    const first = findFirst(context);
    if (first === null) return NONE;
    if (isOneEnough) return describeErrors(first);
    const errors = errorsWithinSteps(findAll, context);
    return errors ? describeErrors(errors) : [...describeErrors(first), PERHAPS_MORE];
  };

/** Runs a function that Ajv has compiled. */
const runCompiled =
  (compile: () => ValidateFunction): FindErrors =>
  (context) => {
    const validate = compile();
    return validate.call(context, context.value) ? null : takeErrors(validate);
  };

/**
 * Makes validators for the schemas of a document. They work in two steps: one Ajv stops at the first violation, in time
 * that is linear in the value. Only a value that it refuses is given to a second one, which finds all violations within
 * a bounded number of steps.
 */
export const createValidators = (document: unknown, direction: Direction) => {
  const find = createFind(document, direction);
  const first = once(() => createAjv(document, find));
  const all = once(() => createAjv(document, find, acceptsAt));
  const acceptsAt: AcceptsAt = oncePerKey((pointer) => {
    const accepts = once(() => first().acceptsAt(pointer));
    return (value, exact, context) => accepts()(value, exact, context);
  });

  return {
    acceptsAt,
    /** The Ajv that stops at the first violation. */
    ajv: () => first().ajv,

    /** Creates the validator of a schema that this Ajv has compiled. */
    validatorOf(validate: ValidateFunction): Validate {
      const validateAll = once(() => all().ajv.compile(validate.schema));
      const findFirst = runCompiled(() => validate);
      // The last error is about the whole value.
      return createValidator((context) => findFirst(context)?.slice(-1) ?? null, runCompiled(validateAll));
    },

    /** Creates the validator of the schema at a pointer. In messages, the value has the name of these steps. */
    validatorAt(pointer: string, ...steps: readonly string[]): Validate {
      const names = steps.length > 0 ? steps : ['body'];
      const [instancePath, parentDataProperty] = [pointerTo(...names), names.at(-1) ?? ''];
      const [rootData, dynamicAnchors] = [{}, {}];
      const runCheck = (ajv: () => { readonly checkAt: CheckAt }): FindErrors => {
        const check = once(() => ajv().checkAt(pointer));
        return (context) => {
          // In the order of the literals that Ajv writes: any other order costs V8 2 µs.
          const place = {
            instancePath,
            parentData: context.holder,
            parentDataProperty,
            rootData,
            dynamicAnchors,
          };
          return check().call(context, context.value, place) ? null : context.refused;
        };
      };
      return createValidator(runCheck(first), runCheck(all));
    },
  };
};

/** Validates a body, given as JSON. Its texts may be any: JSON escapes those that UTF-8 or a store cannot hold. */
export const violationsIn = (json: string, validate: Validate, isOneEnough = false): readonly Violation[] =>
  validate(createValidationContext(JSON.parse(json), parseExactNumbers(json)), isOneEnough);

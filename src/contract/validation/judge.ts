import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import type { Inquiry } from '../json/inquiry.ts';
import { once } from '../json/once.ts';
import { PERHAPS_MORE } from '../problems/violations.ts';
import type { Direction } from '../schema/access.ts';
import { createAjvFor } from './ajv.ts';
import { toAjvDocument } from './ajv-document.ts';
import { describeErrors } from './describe-errors.ts';
import { toldOf } from './recursion.ts';
import { MOST_STEPS, OutOfSteps } from './steps.ts';

/** Says what is wrong with the value of an inquiry; nothing where a schema accepts it. */
export type Judge = (inquiry: Inquiry) => readonly string[];

const NONE: readonly string[] = [];

/** The errors that a schema has found; it does not keep them, nor the body that they are about. */
const takeErrors = (validate: ValidateFunction): readonly ErrorObject[] | null | undefined => {
  const { errors } = validate;
  validate.errors = null;
  return errors;
};

/** Where it takes too long to find out, or goes too deep, nobody knows. */
const errorsWithin = (tell: ValidateFunction, inquiry: Inquiry): readonly ErrorObject[] | undefined => {
  try {
    inquiry.steps = MOST_STEPS;
    tell.call(inquiry, inquiry.value);
    return takeErrors(tell) ?? undefined;
  } catch (error) {
    if (error instanceof OutOfSteps || error instanceof RangeError) return undefined;
    throw error;
  }
};

/**
 * Makes what judges values by the schemas of a document, in two steps. The verdict comes from an Ajv that stops at the
 * first violation. Only what it refuses is shown to another, which tells every violation, as far as that goes quickly.
 */
export const createJudges = (document: unknown, name: string, direction: Direction) => {
  const made = once(() => toAjvDocument(document, direction));
  const ajv = once(() => createAjvFor(made(), name, { verdictOnly: true }));
  const tellingAjv = once(() => createAjvFor(made(), name, { countsSteps: true }));

  const judgeBy = (validate: ValidateFunction): Judge => {
    const tell = once(() => tellingAjv().compile(validate.schema));
    return (inquiry) => {
      if (validate.call(inquiry, inquiry.value)) return NONE;
      const first = toldOf(takeErrors(validate) ?? []);
      const errors = errorsWithin(tell(), inquiry);
      return errors ? describeErrors(errors) : [...describeErrors(first), PERHAPS_MORE];
    };
  };

  return { ajv, judgeBy, judgeFor: (schema: AnySchema): Judge => judgeBy(ajv().compile(schema)) };
};

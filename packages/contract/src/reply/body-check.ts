import type { Violation } from '@trellis/openapi/internal/json';
import { parseJson } from '../json/parse-json.ts';
import { createValidationContext } from '../validation/validation-context.ts';
import type { Validate } from '../validation/validators.ts';

/** What is wrong with a body, as it is written in JSON, by a validator of `{ body }`. */
export const violationsIn = (json: string, validate: Validate, isOneEnough = false): readonly Violation[] => {
  const { value, exact } = parseJson(Buffer.from(json));
  return validate(createValidationContext({ body: value }, { body: exact }), isOneEnough);
};

import type { Violation } from '@trellis/openapi/internal/json';
import { parseJson } from '../json/parse-json.ts';
import { createValidationContext } from '../validation/validation-context.ts';
import type { Validate } from '../validation/validators.ts';

/** Validates a body, given as JSON. */
export const violationsIn = (json: string, validate: Validate, isOneEnough = false): readonly Violation[] => {
  const { value, exact } = parseJson(Buffer.from(json));
  return validate(createValidationContext(value, exact), isOneEnough);
};

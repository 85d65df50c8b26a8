import { parseExactNumbers, type Violation } from '@trellis/openapi/internal/json';
import { createValidationContext } from '../validation/validation-context.ts';
import type { Validate } from '../validation/validators.ts';

/** Validates a body, given as JSON. Its texts may be any: JSON escapes those that UTF-8 or a store cannot hold. */
export const violationsIn = (json: string, validate: Validate, isOneEnough = false): readonly Violation[] => {
  return validate(createValidationContext(JSON.parse(json), parseExactNumbers(json)), isOneEnough);
};

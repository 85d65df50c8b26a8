/** Finds the defaults that requests would break their schemas with, by compiling schemas as the service does. */

import { createValidationContext, createValidators } from '@trellis/contract/internal';
import { rewriteSchemas } from '@trellis/openapi/internal/document';
import {
  fromDocument,
  getOrInsert,
  listViolations,
  pointerTo,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { Fault } from './complaints.ts';

const NEVER_ENDS = 'default cannot be checked, because its schema never comes to an end';

/** The defaults that their schemas do not accept: the service does not use them, so the types must not promise them. */
export const findUnfitDefaults = (document: unknown): Fault[] => {
  const { validatorAt } = createValidators(document, 'request');
  const whyUnfit = (schemaAt: string): string => {
    const { value, exact } = fromDocument(valueAt(document, schemaAt + pointerTo('default')));
    const validate = validatorAt(schemaAt, 'default');
    try {
      return listViolations(validate(createValidationContext(value, exact)));
    } catch (error) {
      if (error instanceof RangeError) return NEVER_ENDS;
      throw error;
    }
  };
  /** Schemas of which only the words differ are judged once: a large contract has thousands of defaults. */
  const reasons = new Map<string, string>();
  const faults: Fault[] = [];
  rewriteSchemas(document, (schema, schemaAt, _home, isSchema) => {
    if (!isSchema || schema.default === undefined) return schema;
    const { title: _title, description: _description, ...meaning } = schema;
    const reason = getOrInsert(reasons, toJson(meaning), () => whyUnfit(schemaAt));
    if (reason !== '')
      faults.push({
        pointer: schemaAt + pointerTo('default'),
        message: `${reason}, and is ignored; correct the default, or its schema`,
      });
    return schema;
  });
  return faults;
};

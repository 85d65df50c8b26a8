import { toJson } from '@trellis/openapi/internal/json';
import { typesOf } from '@trellis/openapi/internal/schema';
import { createValues, withAbsoluteUrls } from '@trellis/openapi/internal/values';
import { violationsIn } from '../reply/body-check.ts';
import type { Choose } from '../reply/declared-headers.ts';
import type { ReplyRules } from '../reply/streams.ts';
import type { AcceptsAt } from '../validation/references.ts';
import { withPagingEnded } from './paging.ts';

/** How examples are made and checked. */
export interface ExampleRules extends Omit<ReplyRules, 'checked'> {
  readonly document: unknown;
  /** Whether a schema accepts a value of a reply. */
  readonly acceptsAt: AcceptsAt;
}

/**
 * Chooses the value for a place: the first of the given examples that fits the schema, else one made from the schema;
 * `undefined` if none fits. Relative references in place of URLs fit.
 */
export const createChoice = ({ document, encoderAt, validatorAt, acceptsAt }: ExampleRules): Choose => {
  const makeValue = createValues(document);

  return (given, schemaAt, isJson = true) => {
    if (schemaAt === undefined) return given[0];
    const isText = typesOf(document, schemaAt).has('string');
    const fits = (value: unknown): boolean => {
      if (value === undefined) return false;
      if (!isJson && !isText && typeof value === 'string') return true; // a text is sent verbatim, whatever its schema
      const json = (isJson ? encoderAt(schemaAt) : toJson)(value);
      return violationsIn(json, validatorAt(schemaAt), true).length === 0;
    };
    const isFit = (value: unknown): boolean => {
      try {
        return fits(value) || fits(withAbsoluteUrls(value));
      } catch {
        return false; // what cannot be encoded, or a schema that cannot be compiled
      }
    };
    const example = given.find(isFit);
    if (example !== undefined) return example;
    for (const options of [{}, { acceptsAt }])
      try {
        const value = makeValue(schemaAt, options);
        if (isFit(value)) return withPagingEnded(value, isFit);
      } catch {} // the same
    return undefined;
  };
};

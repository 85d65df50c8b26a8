import { listViolations, messageOf, toJson } from '@trellis/openapi/json';
import { typesOf } from '@trellis/openapi/schema';
import { createValues } from '@trellis/openapi/values';
import { violationsIn } from '../reply/body-check.ts';
import type { Choose } from '../reply/declared-headers.ts';
import type { ReplyRules } from '../reply/streams.ts';
import type { AcceptsAt } from '../validation/branches.ts';

/** What examples are made and checked by. */
export interface ExampleRules extends Omit<ReplyRules, 'checked'> {
  readonly document: unknown;
  /** Whether a schema accepts a value of a reply. */
  readonly acceptsAt: AcceptsAt;
}

/** An example, and the value that it may stand for: people write the text of JSON. */
const readingsOf = (example: unknown): unknown[] => {
  try {
    return typeof example === 'string' ? [example, JSON.parse(example)] : [example];
  } catch {
    return [example];
  }
};

/**
 * Chooses the value for a place: the first of the given examples that fits the schema, else one made from the schema. If
 * none can be made, it is the one that comes closest: a stub answers in any case.
 */
export const createChoice = ({ document, encoderAt, validatorAt, acceptsAt }: ExampleRules): Choose => {
  const makeValue = createValues(document);

  /** `undefined` for a schema that cannot be compiled, as well as for one that no value fits. */
  const makeChecked = (schemaAt: string): unknown => {
    try {
      return makeValue(schemaAt, { acceptsAt }).value;
    } catch {
      return undefined;
    }
  };

  /** Why a value does not fit; `undefined` if it does. */
  const flawOf = (value: unknown, schemaAt: string, isJson: boolean): string | undefined => {
    if (value === undefined) return 'it contradicts itself';
    try {
      const json = (isJson ? encoderAt(schemaAt) : toJson)(value);
      const violations = violationsIn(json, validatorAt(schemaAt), true);
      return violations.length === 0 ? undefined : listViolations(violations);
    } catch (error) {
      return messageOf(error);
    }
  };

  return (given, schemaAt, isJson) => {
    if (schemaAt === undefined) return { value: given[0], note: undefined };
    const isText = typesOf(document, schemaAt).has('string');
    /** A text in a media type that is not JSON is what is sent, whatever the schema calls that. */
    const isSent = (value: unknown): boolean => !isJson && !isText && typeof value === 'string';
    let note: string | undefined;
    const fits = (value: unknown, what: string | undefined): boolean => {
      const flaw = isSent(value) ? undefined : flawOf(value, schemaAt, isJson);
      if (flaw !== undefined && what !== undefined) note ??= `${what}: ${flaw}`;
      return flaw === undefined;
    };
    for (const value of isJson ? given.flatMap(readingsOf) : given)
      if (fits(value, 'the example does not fit')) return { value, note };
    const simple = makeValue(schemaAt);
    const stated = simple.isStated ? 'an example in the schema does not fit' : undefined;
    if (fits(simple.value, stated)) return { value: simple.value, note };
    const value = makeChecked(schemaAt);
    if (fits(value, 'no value fits the schema')) return { value, note };
    const best = simple.value ?? makeValue(schemaAt, { isPartial: true }).value;
    return { value: best ?? given[0] ?? null, note };
  };
};

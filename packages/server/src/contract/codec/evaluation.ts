import { compilePattern } from '@trellis/openapi/document';
import { once, oncePerKey, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import type { AcceptsAt, Branch } from '../validation/branches.ts';
import type { ValidationContext } from '../validation/validation-context.ts';

/** Whether a schema evaluates a member, or an item, of a value. */
export type Evaluates = (name: string, value: unknown, exact: unknown, context: ValidationContext) => boolean;

/** The patterns of `patternProperties`, compiled, with where the schema of each stands. */
export const patternsAt = (document: unknown, pointer: string): { pattern: RegExp; at: string }[] =>
  Object.keys(ownMember(valueAt(document, pointer), 'patternProperties') ?? {}).flatMap((source) => {
    const pattern = compilePattern(source);
    return pattern ? [{ pattern, at: pointer + pointerTo('patternProperties', source) }] : [];
  });

/**
 * Compiles which members `unevaluatedProperties` and `unevaluatedItems` do not apply to (JSON Schema 2020-12, section
 * 11): those that the schema beside them evaluates, or any schema that it applies to the same value.
 */
export const createEvaluation = (
  document: unknown,
  branchesAt: (pointer: string) => Branch[],
  acceptsAt: AcceptsAt,
) => {
  /** What the keywords of the schema itself evaluate. */
  const ownAt = (pointer: string): Evaluates => {
    const schema = valueAt(document, pointer);
    const has = (keyword: string, name: string) => ownMember(ownMember(schema, keyword), name) !== undefined;
    const isThere = (keyword: string) => ownMember(schema, keyword) !== undefined;
    const patterns = patternsAt(document, pointer);
    const isContained = isThere('contains') ? acceptsAt(pointer + pointerTo('contains')) : () => false;
    return (name, value, exact, context) =>
      Array.isArray(value)
        ? isThere('items') ||
          has('prefixItems', name) ||
          isContained(ownMember(value, name), ownMember(exact, name), context)
        : isThere('additionalProperties') ||
          has('properties', name) ||
          patterns.some(({ pattern }) => pattern.test(name));
  };

  /** What a schema evaluates; one with an `unevaluated…` keyword evaluates everything. */
  const compile = oncePerKey((pointer: string): Evaluates => {
    const schema = valueAt(document, pointer);
    const takesRest = (keyword: string) => ownMember(schema, keyword) !== undefined;
    const [items, properties] = [takesRest('unevaluatedItems'), takesRest('unevaluatedProperties')];
    const beside = once(() => besideAt(pointer)); // so that a recursive schema finds itself
    return (name, value, exact, context) =>
      (Array.isArray(value) ? items : properties) || beside()(name, value, exact, context);
  });

  const besideAt = (pointer: string): Evaluates => {
    const own = ownAt(pointer);
    const branches = branchesAt(pointer).map(({ at, applies }) => ({ applies, evaluates: compile(at) }));
    return (name, value, exact, context) =>
      own(name, value, exact, context) ||
      branches.some(
        ({ applies, evaluates }) =>
          (applies === undefined || applies(value, exact, context)) && evaluates(name, value, exact, context),
      );
  };

  return besideAt;
};

import {
  isTree,
  MOST_COUNTED,
  once,
  oncePerKey,
  ownMember,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import { compilePattern } from '@trellis/openapi/internal/schema';
import type { ErrorObject, FuncKeywordDefinition } from 'ajv';
import { UNEVALUATED } from './ajv-document.ts';
import { type Branch, createBranches } from './branches.ts';
import { type AcceptsAt, type Check, type CheckAt, PASSED_ON } from './references.ts';
import { exactOf, type ValidationContext } from './validation-context.ts';

/** Whether a schema evaluates a member, or an item, of a value. */
export type Evaluates = (name: string, value: unknown, exact: unknown, context: ValidationContext) => boolean;

/** The patterns of `patternProperties`, compiled, with the pointers of their schemas. */
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
  /** Compiles which members and items the schema's own keywords evaluate. */
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

  /** Compiles which members and items a schema evaluates; with an `unevaluated…` keyword it evaluates all of them. */
  const compile = oncePerKey((pointer: string): Evaluates => {
    const schema = valueAt(document, pointer);
    const takesRest = (keyword: string) => ownMember(schema, keyword) !== undefined;
    const [items, properties] = [takesRest('unevaluatedItems'), takesRest('unevaluatedProperties')];
    const beside = once(() => besideAt(pointer)); // so that a recursive schema finds itself
    const busy = new Set<unknown>(); // a subtype refers to its base, which names the subtype
    return (name, value, exact, context) => {
      if (Array.isArray(value) ? items : properties) return true;
      if (busy.has(value)) return false;
      busy.add(value);
      try {
        return beside()(name, value, exact, context);
      } finally {
        busy.delete(value);
      }
    };
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

/** Creates the error of a member or an item that is not allowed. */
const forbid = (keyword: string, name: string, instancePath: string): ErrorObject => ({
  keyword,
  instancePath,
  schemaPath: '',
  params: { unevaluatedProperty: name },
  message: `must NOT have more than ${name} items`,
});

/**
 * Validates the members and items that no other keyword evaluates. Ajv's own keywords need the members that the target
 * of each reference evaluates, which only Ajv's own references report.
 */
export const createUnevaluated = (
  document: unknown,
  acceptsAt: AcceptsAt,
  checkAt: CheckAt,
): FuncKeywordDefinition => {
  const evaluatesBeside = createEvaluation(document, createBranches(document, acceptsAt), acceptsAt);

  const compile = (pointer: string, keyword: string): Check => {
    const rest = ownMember(valueAt(document, pointer), keyword);
    if (rest === undefined || rest === true) return () => true;
    const evaluates = once(() => evaluatesBeside(pointer));
    const check = rest === false ? undefined : checkAt(pointer + pointerTo(keyword));
    return function (value, at) {
      const errors: ErrorObject[] = [];
      const exact = exactOf(this, value, at);
      const isOneEnough = !check && Array.isArray(value); // its error gives the maximum number of items
      if (!isTree(value) || !at) return true;
      for (const name of Object.keys(value)) {
        if (evaluates()(name, value, exact, this)) continue;
        const instancePath = at.instancePath + pointerTo(name);
        const place = { ...at, instancePath, parentData: value, parentDataProperty: name };
        if (!check) errors.push(forbid(keyword, name, at.instancePath));
        else if (!check.call(this, value[name], place)) errors.push(...(this.refused ?? []));
        if (errors.length > (isOneEnough ? 0 : MOST_COUNTED)) break;
      }
      if (errors.length > 0) this.refused = errors;
      return errors.length === 0;
    };
  };

  return {
    keyword: UNEVALUATED,
    type: ['object', 'array'],
    schemaType: 'string',
    errors: false,
    error: PASSED_ON,
    compile: (pointer: string): Check => {
      const ofObjects = compile(pointer, 'unevaluatedProperties');
      const ofLists = compile(pointer, 'unevaluatedItems');
      return function (value, at) {
        return (Array.isArray(value) ? ofLists : ofObjects).call(this, value, at);
      };
    },
  };
};

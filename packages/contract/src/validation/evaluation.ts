import {
  isTree,
  MOST_COUNTED,
  oncePerKey,
  ownMember,
  pointerTo,
  refAt,
  valueAt,
} from '@trellis/openapi/internal/json';
import { compilePattern, discriminatedAt, subtypesAt } from '@trellis/openapi/internal/schema';
import type { ErrorObject, FuncKeywordDefinition } from 'ajv';
import { UNEVALUATED } from './ajv-document.ts';
import { type Accepts, type AcceptsAt, type Check, type CheckAt, PASSED_ON } from './references.ts';
import { exactOf, type ValidationContext } from './validation-context.ts';

/** A schema about the same value as another. */
interface Branch {
  readonly at: string;
  /** Whether it applies to a value; `undefined` if it always does. */
  readonly applies: Accepts | undefined;
}

/**
 * Finds the schemas that apply to the same value as the schema at a pointer (JSON Schema 2020-12, section 10.2): the
 * target of `$ref` and `allOf` always, the branches of a union that accept the value, the branch or the subtype that a
 * discriminator names, `then` or `else` depending on `if`, and dependent schemas if their member is there.
 */
const createBranches = (document: unknown, acceptsAt: AcceptsAt) => {
  const unionAt = (pointer: string, under: (keyword: string) => [string, string][]): Branch[] => {
    const discriminated = discriminatedAt(document, pointer);
    const plain = [...under('anyOf'), ...under('oneOf')].map(([, at]) => at);
    if (!discriminated) return plain.map((at) => ({ at, applies: acceptsAt(at) }));
    const { property, branches, others, keyword } = discriminated;
    const chosen = [...branches].map(
      ([tag, at]): Branch => ({ at, applies: (value) => ownMember(value, property) === tag }),
    );
    const rest = [...others, ...plain.filter((at) => !at.startsWith(pointer + pointerTo(keyword)))];
    return [...chosen, ...rest.map((at) => ({ at, applies: acceptsAt(at) }))];
  };

  const subtypesOf = (pointer: string): Branch[] => {
    const { property, named } = subtypesAt(document, pointer) ?? { property: '', named: [] };
    return [...named].flatMap(([tag, subtypes]) =>
      subtypes.map((at) => ({ at, applies: (value: unknown) => ownMember(value, property) === tag })),
    );
  };

  const conditionsAt = (pointer: string, schema: unknown): Branch[] => {
    const [question, yes, no] = ['if', 'then', 'else'].map((keyword) => pointer + pointerTo(keyword));
    if (ownMember(schema, 'if') === undefined || !question || !yes || !no) return [];
    const holds = acceptsAt(question);
    return [
      { at: question, applies: holds },
      { at: yes, applies: holds },
      { at: no, applies: (value, exact, context) => !holds(value, exact, context) },
    ];
  };

  return (pointer: string): Branch[] => {
    const schema = valueAt(document, pointer);
    const under = (keyword: string): [name: string, pointer: string][] =>
      Object.keys(ownMember(schema, keyword) ?? {}).map((name) => [name, pointer + pointerTo(keyword, name)]);
    const target = refAt(document, pointer);
    return [
      ...(target === undefined ? [] : [{ at: target, applies: undefined }]),
      ...under('allOf').map(([, at]) => ({ at, applies: undefined })),
      ...unionAt(pointer, under),
      ...subtypesOf(pointer),
      ...conditionsAt(pointer, schema),
      ...under('dependentSchemas').map(
        ([name, at]): Branch => ({
          at,
          applies: (value) => isTree(value) && !Array.isArray(value) && Object.hasOwn(value, name),
        }),
      ),
    ];
  };
};

/** The patterns of `patternProperties`, compiled, with the pointers of their schemas. */
export const patternsAt = (document: unknown, pointer: string): { pattern: RegExp; at: string }[] =>
  Object.keys(ownMember(valueAt(document, pointer), 'patternProperties') ?? {}).flatMap((source) => {
    const pattern = compilePattern(source);
    return pattern ? [{ pattern, at: pointer + pointerTo('patternProperties', source) }] : [];
  });

/** Whether a schema evaluates a member, or an item, of a value. */
export type Evaluates = (name: string, value: unknown, exact: unknown, context: ValidationContext) => boolean;

/**
 * Finds which members `unevaluatedProperties` and `unevaluatedItems` do not apply to (JSON Schema 2020-12, section
 * 11): those that the schema beside them evaluates, or any schema that it applies to the same value.
 */
const createEvaluation = (
  document: unknown,
  branchesAt: (pointer: string) => Branch[],
  acceptsAt: AcceptsAt,
): ((pointer: string) => Evaluates) => {
  const compile = oncePerKey((pointer: string) => {
    const schema = valueAt(document, pointer);
    const has = (keyword: string): boolean => ownMember(schema, keyword) !== undefined;
    const patterns = patternsAt(document, pointer);
    const isContained = has('contains') ? acceptsAt(pointer + pointerTo('contains')) : () => false;
    /** Whether a keyword of the schema itself evaluates a part. */
    const evaluatesItself: Evaluates = (name, value, exact, context) =>
      Array.isArray(value)
        ? has('items') ||
          ownMember(ownMember(schema, 'prefixItems'), name) !== undefined ||
          isContained(ownMember(value, name), ownMember(exact, name), context)
        : has('additionalProperties') ||
          ownMember(ownMember(schema, 'properties'), name) !== undefined ||
          patterns.some(({ pattern }) => pattern.test(name));
    return { has, evaluatesItself, branches: branchesAt(pointer) };
  });

  /** A schema applies once to a value: a subtype refers to its base, which names the subtype. */
  const evaluatesAt = (
    pointer: string,
    known: ReadonlySet<string>,
    ...given: Parameters<Evaluates>
  ): boolean => {
    const [, value, exact, context] = given;
    const { evaluatesItself, branches } = compile(pointer);
    if (evaluatesItself(...given)) return true;
    const keyword = Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties';
    return branches.some(({ at, applies }) => {
      if (known.has(at) || applies?.(value, exact, context) === false) return false;
      return compile(at).has(keyword) || evaluatesAt(at, new Set([...known, at]), ...given);
    });
  };
  return (pointer) => {
    const known = new Set([pointer]);
    return (...given) => evaluatesAt(pointer, known, ...given);
  };
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
  return {
    keyword: UNEVALUATED,
    type: ['object', 'array'],
    schemaType: 'string',
    errors: false,
    error: PASSED_ON,
    compile: (pointer: string): Check => {
      const evaluates = evaluatesBeside(pointer);
      /** The schema of the other parts: whether it allows any, or its check. */
      const restOf = (keyword: string): boolean | Check => {
        const rest = ownMember(valueAt(document, pointer), keyword);
        return isTree(rest) ? checkAt(pointer + pointerTo(keyword)) : rest !== false;
      };
      const rests = { items: restOf('unevaluatedItems'), members: restOf('unevaluatedProperties') };
      return function (value, place) {
        const isList = Array.isArray(value);
        const rest = isList ? rests.items : rests.members;
        if (rest === true || !isTree(value) || !place) return true;
        const keyword = isList ? 'unevaluatedItems' : 'unevaluatedProperties';
        const most = isList && rest === false ? 0 : MOST_COUNTED; // the first error gives the maximum number of items
        const exact = exactOf(this, value, place);
        const errors: ErrorObject[] = [];
        for (const name of Object.keys(value)) {
          if (errors.length > most) break;
          if (evaluates(name, value, exact, this)) continue;
          const instancePath = place.instancePath + pointerTo(name);
          const at = { ...place, instancePath, parentData: value, parentDataProperty: name };
          if (rest === false) errors.push(forbid(keyword, name, place.instancePath));
          else if (!rest.call(this, value[name], at)) errors.push(...(this.refused ?? []));
        }
        if (errors.length > 0) this.refused = errors;
        return errors.length === 0;
      };
    },
  };
};

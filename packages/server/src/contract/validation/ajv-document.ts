import { rewriteSchemas } from '@trellis/openapi/document';
import {
  fromDocument,
  getOrInsert,
  holds,
  identityOf,
  isBigint,
  isTree,
  ownMember,
  pointerSteps,
  pointerTo,
  targetOf,
  valueAt,
  withoutBigints,
} from '@trellis/openapi/json';
import {
  type Direction,
  discriminatedAt,
  discriminatingSchema,
  isLeftOut,
  leavesOut,
  leftOutOf,
  otherBranches,
  throughRefs,
} from '@trellis/openapi/schema';
import { UNEVALUATED } from './evaluation.ts';
import { EXACT_BOUNDS } from './exact-keywords.ts';
import { calledInPlace, referTo, schemaRef, wholeOf } from './references.ts';
import { STEPS_KEYWORD, stepsOf } from './steps.ts';

type Tree = Record<string, unknown>;

const BOUNDS = Object.entries(EXACT_BOUNDS).map(([exact, { keyword }]) => [exact, keyword] as const);

/** The keyword that lists the properties that are left out in this direction. */
export const LEFT_OUT = 'x-leftOut';

const identify = (constant: unknown): string => {
  const { value, exact } = fromDocument(constant);
  return identityOf(value, exact) ?? '';
};

/** An int64 is validated by its digits, and so are bounds and constants that doubles cannot hold. */
const withExactNumbers = (schema: Tree): Tree => {
  let made = schema.format === 'int64' ? { ...schema, 'x-int64': true } : schema;
  for (const [exact, keyword] of BOUNDS) {
    const bound = schema[keyword];
    if (isBigint(bound) || (typeof bound === 'number' && keyword === 'multipleOf'))
      made = { ...made, [exact]: String(bound), [keyword]: undefined };
  }
  if (Array.isArray(schema.enum) && holds(schema.enum, isBigint))
    made = { ...made, 'x-exactEnum': schema.enum.map(identify), enum: undefined };
  if (holds(schema.const, isBigint))
    made = { ...made, 'x-exactConst': identify(schema.const), const: undefined };
  return made;
};

/**
 * What says nothing about values. Ajv would look for schemas in it, and find some in examples that look like schemas. All
 * references are pointers, so no schema needs a name.
 */
const SPARE = new Set([
  ...['description', 'summary', 'externalDocs', 'example', 'examples', 'xml'],
  ...['$id', '$anchor', '$dynamicAnchor'],
]);

const isSpare = (key: string): boolean => SPARE.has(key) || key.startsWith('x-');

const withoutSpare = (object: Tree): Tree => {
  const keys = Object.keys(object);
  if (!keys.some(isSpare)) return object;
  return Object.fromEntries(keys.flatMap((key) => (isSpare(key) ? [] : [[key, object[key]]])));
};

/** Whether a schema is a condition (`if`, `not`): requiring less there would accept fewer values. */
const isCondition = (pointer: string, home: string): boolean =>
  pointerSteps(pointer.slice(home.length)).some((step) => step === 'not' || step === 'if');

/** A document that Ajv can compile schemas of. */
export interface AjvDocument {
  /** As it was before. */
  readonly document: unknown;
  /**
   * The schema at a pointer. A path or a component is rewritten when it is first read: a large document has thousands.
   */
  readonly find: (pointer: string) => unknown;
}

/**
 * Rewrites a document for Ajv: as JSON Schema 2020-12, with a few keywords of our own for what else OpenAPI says. Every
 * schema keeps its place.
 *
 * - references are ours, so that Ajv compiles each schema by itself, or in place if it is short (unless `inline` is false)
 * - int64, and bounds and constants that a double cannot hold, are validated by their digits
 * - a union with a discriminator means the branch that the discriminator names
 * - each schema says how many steps it takes, for the Ajv that counts them
 * - members that are left out in this direction are not required, and may be anything
 */
export const toAjvDocument = (document: unknown, direction: Direction, inline = true): AjvDocument => {
  const hasLeftOuts = leavesOut(document, direction);
  const leftOutNames = new Map<string, ReadonlySet<string>>();

  /** Computed once for all schemas that share the answer. */
  const namesLeftOut = (pointer: string, home: string): ReadonlySet<string> => {
    const others = otherBranches(document, home, pointer, direction);
    const key = JSON.stringify([home, others]);
    return getOrInsert(leftOutNames, key, () => leftOutOf(document, home, others, direction));
  };

  const refer = (pointer: string): object => {
    const at = throughRefs(document, pointer);
    return inline ? referTo(at, valueAt(document, at)) : schemaRef(at);
  };

  /** The schema of a reference, beside which others may stand. */
  const withReference = (schema: Tree): Tree => {
    const { $ref, ...beside } = schema;
    const target = targetOf($ref);
    return target === undefined ? schema : { ...beside, ...refer(target) };
  };

  const withBranches = (schema: Tree, pointer: string): Tree => {
    if (!isTree(schema.discriminator)) return schema;
    const discriminated = discriminatedAt(document, pointer);
    if (!discriminated) return { ...schema, discriminator: undefined };
    const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
    return { ...schema, allOf: [...parts, discriminatingSchema(discriminated, refer)] };
  };

  const withLeftOuts = (schema: Tree, pointer: string, home: string): Tree => {
    const { properties, required, dependentRequired } = schema;
    if (properties === undefined && required === undefined && dependentRequired === undefined) return schema;
    if (isCondition(pointer, home)) return schema;
    const names = namesLeftOut(pointer, home);
    if (names.size === 0) return schema;
    const without = (list: unknown): unknown =>
      Array.isArray(list) ? list.filter((name) => !names.has(name)) : list;
    const leftOut = Object.keys(isTree(properties) ? properties : {}).filter((name) =>
      isLeftOut(document, pointer + pointerTo('properties', name), direction),
    );
    const dependent = isTree(dependentRequired)
      ? Object.fromEntries(Object.entries(dependentRequired).map(([name, list]) => [name, without(list)]))
      : dependentRequired;
    return { ...schema, [LEFT_OUT]: leftOut, required: without(required), dependentRequired: dependent };
  };

  const schemas = rewriteSchemas(
    document,
    (schema, pointer, home) => {
      const whole = withBranches(withReference(withExactNumbers(withoutSpare(schema))), pointer);
      const made = hasLeftOuts ? withLeftOuts(whole, pointer, home) : whole;
      const counted = { ...made, [STEPS_KEYWORD]: stepsOf(made) };
      if (made.unevaluatedProperties === undefined && made.unevaluatedItems === undefined) return counted;
      return calledInPlace(pointer, { ...counted, [UNEVALUATED]: pointer });
    },
    withoutBigints,
  );
  const find = (pointer: string): unknown =>
    pointerSteps(pointer).reduce((value, step) => wholeOf(ownMember(value, step)), schemas);
  return { document, find };
};

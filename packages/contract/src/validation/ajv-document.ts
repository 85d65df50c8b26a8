import { rewriteSchemas } from '@trellis/openapi/internal/document';
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
} from '@trellis/openapi/internal/json';
import {
  type Direction,
  discriminatedAt,
  discriminatingSchema,
  isLeftOut,
  leavesOut,
  leftOutOf,
  otherBranches,
  subtypesAt,
  throughRefs,
} from '@trellis/openapi/internal/schema';
import { EXACT_BOUNDS, exactName } from './exact-keywords.ts';
import { SUBTYPES, schemaRef, UNEVALUATED } from './references.ts';
import { STEPS_KEYWORD, stepsOf } from './steps.ts';

type Schema = Record<string | symbol, unknown>;

/** Ajv compiles a rewritten schema; the original is kept here so that references into it resolve. */
const WHOLE = Symbol('whole');

/** Unions replaced by the discriminator rule, kept so that references into them resolve. */
const UNIONS = Symbol('unions');

const wholeOf = (value: unknown): unknown => {
  const whole: unknown = isTree(value) ? Reflect.get(value, WHOLE) : undefined;
  return whole === undefined ? value : wholeOf(whole);
};

/** Returns the original member of a value, before it was rewritten. */
const stepInto = (value: unknown, step: string): unknown =>
  isTree(value) ? wholeOf(ownMember(value, step) ?? ownMember(Reflect.get(value, UNIONS), step)) : undefined;

const identify = (constant: unknown): string => {
  const { value, exact } = fromDocument(constant);
  return identityOf(value, exact) ?? '';
};

/** An int64 is validated by its digits, and so are bounds and constants that doubles cannot hold. */
const withExactNumbers = (schema: Schema): Schema => {
  let made = schema.format === 'int64' ? { ...schema, 'x-int64': true } : schema;
  for (const keyword of Object.keys(EXACT_BOUNDS)) {
    const bound = schema[keyword];
    if (isBigint(bound) || (typeof bound === 'number' && keyword === 'multipleOf'))
      made = { ...made, [exactName(keyword)]: String(bound), [keyword]: undefined };
  }
  if (Array.isArray(schema.enum) && holds(schema.enum, isBigint))
    made = { ...made, [exactName('enum')]: schema.enum.map(identify), enum: undefined };
  if (holds(schema.const, isBigint))
    made = { ...made, [exactName('const')]: identify(schema.const), const: undefined };
  return made;
};

/**
 * Keywords that do not validate values. Ajv would search them for schemas, and find some in examples that look like
 * schemas. All references are pointers, so no schema needs a name.
 */
const SPARE = new Set([
  ...['description', 'summary', 'externalDocs', 'example', 'examples', 'xml'],
  ...['$id', '$anchor', '$dynamicAnchor'],
]);

const isSpare = (key: string): boolean => SPARE.has(key) || key.startsWith('x-');

const withoutSpare = (object: Schema): Schema => {
  const keys = Object.keys(object);
  if (!keys.some(isSpare)) return object;
  return Object.fromEntries(keys.flatMap((key) => (isSpare(key) ? [] : [[key, object[key]]])));
};

/** Whether a schema is a condition (`if`, `not`): requiring less there would accept fewer values. */
const isCondition = (pointer: string, home: string): boolean =>
  pointerSteps(pointer.slice(home.length)).some((step) => step === 'not' || step === 'if');

/** A document that Ajv can compile schemas of. */
export interface AjvDocument {
  /** The original document. */
  readonly document: unknown;
  /**
   * The schema at a pointer. A path or a component is rewritten when it is first read: a large document has thousands.
   */
  readonly find: (pointer: string) => unknown;
}

/**
 * Rewrites a document for Ajv: as JSON Schema 2020-12, with our own keywords for the features that OpenAPI adds. Every
 * schema keeps its place.
 *
 * - references are ours, so that Ajv compiles each schema by itself
 * - int64, and bounds and constants that a double cannot hold, are validated by their digits
 * - a discriminator names a branch of its union, or a subtype of its base
 * - each schema states how many steps it takes, for the Ajv that counts them
 * - members that are left out in this direction are not required, and may be anything
 */
export const toAjvDocument = (document: unknown, direction: Direction): AjvDocument => {
  const hasLeftOuts = leavesOut(document, direction);
  const leftOutNames = new Map<string, ReadonlySet<string>>();

  /** Computed once for all schemas that share the answer. */
  const namesLeftOut = (pointer: string, home: string): ReadonlySet<string> => {
    const others = otherBranches(document, home, pointer, direction);
    const key = JSON.stringify([home, others]);
    return getOrInsert(leftOutNames, key, () => leftOutOf(document, home, others, direction));
  };

  const refer = (pointer: string): object => schemaRef(throughRefs(document, pointer));

  /** Replaces `$ref` by our reference, and keeps the keywords beside it. */
  const withReference = (schema: Schema): Schema => {
    const { $ref, ...beside } = schema;
    const target = targetOf($ref);
    return target === undefined ? schema : { ...beside, ...refer(target) };
  };

  /** Where a discriminator names a branch, the union itself validates nothing. */
  const withBranches = (schema: Schema, pointer: string): Schema => {
    if (!isTree(schema.discriminator)) return schema;
    const discriminated = discriminatedAt(document, pointer);
    if (!discriminated) return subtypesAt(document, pointer) ? { ...schema, [SUBTYPES]: pointer } : schema;
    const { keyword } = discriminated;
    const { allOf, [keyword]: union, ...rest } = schema;
    const parts = Array.isArray(allOf) ? allOf : [];
    return {
      ...rest,
      allOf: [...parts, discriminatingSchema(discriminated, refer)],
      [UNIONS]: { [keyword]: union },
    };
  };

  const withLeftOuts = (schema: Schema, pointer: string, home: string): Schema => {
    const { properties, required, dependentRequired } = schema;
    if (properties === undefined && required === undefined && dependentRequired === undefined) return schema;
    if (isCondition(pointer, home)) return schema;
    const names = namesLeftOut(pointer, home);
    if (names.size === 0) return schema;
    const without = (list: unknown): unknown =>
      Array.isArray(list) ? list.filter((name) => !names.has(name)) : list;
    const declared = Object.entries(isTree(properties) ? properties : {}).map(([name, property]) =>
      isLeftOut(document, pointer + pointerTo('properties', name), direction)
        ? [name, { [WHOLE]: property }]
        : [name, property],
    );
    const dependent = isTree(dependentRequired)
      ? Object.fromEntries(Object.entries(dependentRequired).map(([name, list]) => [name, without(list)]))
      : dependentRequired;
    return {
      ...schema,
      ...(properties !== undefined && { properties: Object.fromEntries(declared) }),
      required: without(required),
      dependentRequired: dependent,
    };
  };

  const schemas = rewriteSchemas(
    document,
    (schema, pointer, home) => {
      const whole = withBranches(withReference(withExactNumbers(withoutSpare(schema))), pointer);
      const made = hasLeftOuts ? withLeftOuts(whole, pointer, home) : whole;
      const counted = { ...made, [STEPS_KEYWORD]: stepsOf(made) };
      if (made.unevaluatedProperties === undefined && made.unevaluatedItems === undefined) return counted;
      return { ...schemaRef(pointer), [WHOLE]: { ...counted, [UNEVALUATED]: pointer } };
    },
    true,
  );
  return { document, find: (pointer) => pointerSteps(pointer).reduce(stepInto, schemas) };
};

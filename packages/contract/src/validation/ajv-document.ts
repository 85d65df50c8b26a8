import { rewriteSchemaAt } from '@trellis/openapi/internal/document';
import {
  getOrInsert,
  holds,
  identify,
  isBigint,
  isTree,
  once,
  oncePerKey,
  pointerSteps,
  pointerTo,
  type Tree,
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
import { CALL } from './describe-errors.ts';
import { createMayEdit, editedMembers, isInt64, MEMBER_EDITS } from './edits.ts';
import { EXACT_BOUNDS, exactName } from './exact-keywords.ts';
import { schemaRef } from './references.ts';
import { STEPS } from './validation-context.ts';

/** The keyword of a schema with `unevaluatedProperties` or `unevaluatedItems`. It holds the pointer of the schema. */
export const UNEVALUATED = 'x-unevaluated';

/** The keyword of a base whose discriminator names subtypes. It holds the pointer of the base. */
export const SUBTYPES = 'x-subtypes';

/** An int64 is validated by its digits, and so are bounds and constants that doubles cannot hold. */
const withExactNumbers = (schema: Tree): Tree => {
  let made = schema.format === 'int64' ? { ...schema, 'x-int64': isInt64(schema) } : schema;
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

const withoutSpare = (schema: Tree): Tree =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !isSpare(key)));

/** Whether a schema is a condition (`if`, `not`): requiring less there would accept fewer values. */
const isCondition = (pointer: string, home: string): boolean =>
  pointerSteps(pointer.slice(home.length)).some((step) => step === 'not' || step === 'if');

/** Whether a value may be refused by a schema and yet be valid: its edits are dropped then. */
const isQuestion = (pointer: string): boolean => {
  const [above, step = ''] = pointerSteps(pointer).slice(-2);
  return above === 'anyOf' || above === 'oneOf' || ['if', 'not', 'contains'].includes(step);
};

/** A schema that accepts any value, and decodes those that another schema accepts. */
const optional = (schema: unknown): object => ({ anyOf: [schema, true] });

/** Ajv skips an `if` without a consequence, and the items after the first that `contains` accepts. */
const withOptional = (schema: Tree): Tree => {
  const { if: question, then: yes, else: no, contains, allOf } = schema;
  const parts = [
    ...(question !== undefined && yes === undefined && no === undefined ? [optional(question)] : []),
    ...(contains === undefined ? [] : [{ items: optional(contains) }]),
  ];
  return parts.length === 0
    ? schema
    : { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), ...parts] };
};

/** Creates a function that makes members optional, and any value right for them, if they are left out in a direction. */
const createLeaveOut = (document: unknown, direction: Direction) => {
  const known = new Map<string, ReadonlySet<string>>();

  /** Computed once for all schemas that share the answer. */
  const namesLeftOut = (pointer: string, home: string): ReadonlySet<string> => {
    const others = otherBranches(document, home, pointer, direction);
    const key = JSON.stringify([home, others]);
    return getOrInsert(known, key, () => leftOutOf(document, home, others, direction));
  };

  return (schema: Tree, pointer: string, home: string): Tree => {
    const { properties, required, dependentRequired } = schema;
    if (properties === undefined && required === undefined && dependentRequired === undefined) return schema;
    if (isCondition(pointer, home)) return schema;
    const names = namesLeftOut(pointer, home);
    if (names.size === 0) return schema;
    const without = (list: unknown): unknown =>
      Array.isArray(list) ? list.filter((name) => !names.has(name)) : list;
    const mapOf = (value: unknown, entry: (name: string, value: unknown) => unknown): Tree | undefined =>
      isTree(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, entry(name, each)]))
        : undefined;
    return {
      ...schema,
      properties: mapOf(properties, (name, property) =>
        isLeftOut(document, pointer + pointerTo('properties', name), direction) ? true : property,
      ),
      required: without(required),
      dependentRequired: mapOf(dependentRequired, (_name, list) => without(list)),
    };
  };
};

/**
 * Creates a lookup of the schema at a pointer, rewritten for Ajv: as JSON Schema 2020-12, with our own keywords for the
 * features that OpenAPI adds.
 *
 * - references are ours, so that Ajv compiles each schema by itself, and so are schemas with `unevaluated…`
 * - int64, and bounds and constants that a double cannot hold, are validated by their digits
 * - a discriminator names a branch of its union, or a subtype of its base
 * - each schema states how many steps it takes, for the Ajv that counts them
 * - a branch or a condition that asks for edits is a reference, which drops the edits of a value that it refuses
 * - members that are left out in this direction are not required, and may be anything
 */
export const createFind = (document: unknown, direction: Direction): ((pointer: string) => unknown) => {
  const leaveOut = once(() =>
    leavesOut(document, direction) ? createLeaveOut(document, direction) : undefined,
  );

  const refer = (pointer: string): object => schemaRef(throughRefs(document, pointer));

  /** Replaces `$ref` by our reference, and keeps the keywords beside it. */
  const withReference = (schema: Tree): Tree => {
    const { $ref, ...beside } = schema;
    const target = targetOf($ref);
    return target === undefined ? schema : { ...beside, ...refer(target) };
  };

  /** Where a discriminator names a branch, the union itself validates nothing. */
  const withBranches = (schema: Tree, pointer: string): Tree => {
    if (!isTree(schema.discriminator)) return schema;
    const discriminated = discriminatedAt(document, pointer);
    if (!discriminated) return subtypesAt(document, pointer) ? { ...schema, [SUBTYPES]: pointer } : schema;
    const { allOf, [discriminated.keyword]: _union, ...rest } = schema;
    const parts = Array.isArray(allOf) ? allOf : [];
    return { ...rest, allOf: [...parts, discriminatingSchema(discriminated, refer)] };
  };

  const mayEdit = createMayEdit(document);

  const withEdits = (schema: Tree, pointer: string): Tree =>
    editedMembers(document, pointer).length > 0 ? { ...schema, [MEMBER_EDITS]: pointer } : schema;

  return oncePerKey((at) =>
    rewriteSchemaAt(document, at, (schema, pointer, home) => {
      const isUnevaluated = ['unevaluatedProperties', 'unevaluatedItems'].some(
        (key) => schema[key] !== undefined,
      );
      if (isUnevaluated && pointer !== at) return schemaRef(pointer);
      const exact = withReference(withExactNumbers(withoutSpare(schema)));
      const isEdited = direction === 'request' && mayEdit(pointer);
      const isReference = Object.keys(exact).join() === CALL;
      if (isEdited && pointer !== at && isQuestion(pointer) && !isReference) return schemaRef(pointer);
      const whole = withBranches(isEdited ? withOptional(withEdits(exact, pointer)) : exact, pointer);
      const made = leaveOut()?.(whole, pointer, home) ?? whole;
      const steps = 1 + (Array.isArray(made.required) ? made.required.length : 0); // each member may be missing
      return { ...made, [STEPS.keyword]: steps, ...(isUnevaluated && { [UNEVALUATED]: pointer }) };
    }),
  );
};

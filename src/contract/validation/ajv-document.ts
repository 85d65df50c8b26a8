import { rewriteSchemas } from '../document/rewrite.ts';
import { fromDocument } from '../json/exact-value.ts';
import { identityOf } from '../json/identity.ts';
import { isBigint } from '../json/int64.ts';
import { holds, isTree, pointerSteps, pointerTo, uriFragment } from '../json/pointer.ts';
import { type Direction, isLeftOut, leavesOut, leftOutOf, passedBy } from '../schema/access.ts';
import { discriminatedAt, discriminatingSchema } from '../schema/discriminator.ts';
import { EXACT_BOUNDS } from './exact-keywords.ts';
import { STEPS_KEYWORD, stepsOf } from './steps.ts';

type Tree = Record<string, unknown>;

const BOUNDS = Object.entries(EXACT_BOUNDS).map(([exact, { keyword }]) => [exact, keyword] as const);

const identify = (constant: unknown): string => {
  const { value, exact } = fromDocument(constant);
  return identityOf(value, exact) ?? '';
};

/** An int64 is judged by its digits, and so are bounds and constants that doubles cannot tell. */
const withExactNumbers = (schema: Tree): Tree => {
  let made = schema.format === 'int64' ? { ...schema, int64: true } : schema;
  for (const [exact, keyword] of BOUNDS) {
    const bound = schema[keyword];
    if (isBigint(bound) || (typeof bound === 'number' && keyword === 'multipleOf'))
      made = { ...made, [exact]: String(bound), [keyword]: undefined };
  }
  if (Array.isArray(schema.enum) && holds(schema.enum, isBigint))
    made = { ...made, exactEnum: schema.enum.map(identify), enum: undefined };
  if (holds(schema.const, isBigint)) made = { ...made, exactConst: identify(schema.const), const: undefined };
  return made;
};

/** Whether a schema asks what a value is, or says what it must not be: to require less there would be to ask for more. */
const isQuestion = (pointer: string, home: string): boolean =>
  pointerSteps(pointer.slice(home.length)).some((step) => step === 'not' || step === 'if');

/**
 * Makes of a document what Ajv is given: JSON Schema 2020-12, and a few keywords of our own for what else OpenAPI says.
 * Everything stays where it stands, so that references into it hold.
 *
 * - int64, and bounds and constants that a double cannot hold, are judged in their digits
 * - a union with a discriminator is the branch that it names
 * - a schema says how much a look by it costs, for an Ajv that must not look for too long
 * - what has no place in this direction is not required, and may be anything (`leftOut`): nobody will see it
 */
export const toAjvDocument = (document: unknown, direction: Direction): unknown => {
  const hasLeftOuts = leavesOut(document, direction);
  const leftOutNames = new Map<string, ReadonlySet<string>>();

  /** Once for all schemas that the same is said to. */
  const namesLeftOut = (pointer: string, home: string): ReadonlySet<string> => {
    const others = passedBy(document, home, pointer, direction);
    const key = JSON.stringify([home, others]);
    const names = leftOutNames.get(key) ?? leftOutOf(document, home, others, direction);
    leftOutNames.set(key, names);
    return names;
  };

  const withBranches = (schema: Tree, pointer: string): Tree => {
    if (!isTree(schema.discriminator)) return schema;
    const discriminated = discriminatedAt(document, pointer);
    if (!discriminated) return { ...schema, discriminator: undefined };
    const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
    return { ...schema, allOf: [...parts, discriminatingSchema(discriminated, uriFragment)] };
  };

  const withLeftOuts = (schema: Tree, pointer: string, home: string): Tree => {
    const { properties, required, dependentRequired } = schema;
    if (properties === undefined && required === undefined && dependentRequired === undefined) return schema;
    if (isQuestion(pointer, home)) return schema;
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
    return { ...schema, leftOut, required: without(required), dependentRequired: dependent };
  };

  const made = rewriteSchemas(document, (schema, pointer, home) => {
    const whole = withBranches(withExactNumbers(schema), pointer);
    const made = hasLeftOuts ? withLeftOuts(whole, pointer, home) : whole;
    return { ...made, [STEPS_KEYWORD]: stepsOf(made) };
  });
  return holds(made, isBigint) ? fromDocument(made).value : made;
};

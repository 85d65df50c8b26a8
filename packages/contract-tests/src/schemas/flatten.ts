import { identityOf, isObject } from '../values/json.ts';
import { compare, type Numeric } from '../values/numbers.ts';
import { isSchema, ownOf, type Schema, type SchemaObject } from '../values/schema.ts';
import type { Oracle } from './oracle.ts';

/** Combines two keywords, either of which may be missing. */
const both = <T>(a: T | undefined, b: T | undefined, meet: (a: T, b: T) => T): T | undefined => {
  if (a === undefined) return b;
  return b === undefined ? a : meet(a, b);
};

const most = <T extends Numeric>(a: T | undefined, b: T | undefined): T | undefined =>
  both(a, b, (left, right) => (compare(left, right) < 0 ? right : left));

const least = <T extends Numeric>(a: T | undefined, b: T | undefined): T | undefined =>
  both(a, b, (left, right) => (compare(left, right) > 0 ? right : left));

const typesIn = ({ type }: SchemaObject): readonly string[] | undefined =>
  typeof type === 'string' ? [type] : type;

const meetTypes = (a: readonly string[], b: readonly string[]): string[] => [
  ...a.filter((type) => b.includes(type) || (type === 'integer' && b.includes('number'))),
  ...b.filter((type) => type === 'integer' && !a.includes(type) && a.includes('number')),
];

const meetSchemas = (a: Schema, b: Schema): Schema => ({ allOf: [a, b] });

const meetProperties = (a: Readonly<Record<string, Schema>>, b: Readonly<Record<string, Schema>>) => ({
  ...a,
  ...Object.fromEntries(
    Object.entries(b).map(([name, schema]) => [name, both(ownOf(a, name), schema, meetSchemas) ?? true]),
  ),
});

type Dependents = Readonly<Record<string, readonly string[]>>;

const meetDependents = (a: Dependents, b: Dependents): Dependents => ({
  ...a,
  ...Object.fromEntries(
    Object.entries(b).map(([name, others]) => [name, [...(ownOf(a, name) ?? []), ...others]]),
  ),
});

/** One flat schema for the values that both accept. Of keywords without a rule here, such as `pattern`, the second wins. */
const meet = (a: SchemaObject, b: SchemaObject): SchemaObject => ({
  ...a,
  ...b,
  type: both(typesIn(a), typesIn(b), meetTypes),
  enum: both(a.enum, b.enum, (left, right) =>
    left.filter((each) => right.some((other) => identityOf(each) === identityOf(other))),
  ),
  minLength: most(a.minLength, b.minLength),
  maxLength: least(a.maxLength, b.maxLength),
  minimum: most(a.minimum, b.minimum),
  maximum: least(a.maximum, b.maximum),
  exclusiveMinimum: most(a.exclusiveMinimum, b.exclusiveMinimum),
  exclusiveMaximum: least(a.exclusiveMaximum, b.exclusiveMaximum),
  minItems: most(a.minItems, b.minItems),
  maxItems: least(a.maxItems, b.maxItems),
  items: both(a.items, b.items, meetSchemas),
  properties: both(a.properties, b.properties, meetProperties),
  required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])],
  additionalProperties: both(a.additionalProperties, b.additionalProperties, meetSchemas),
  propertyNames: both(a.propertyNames, b.propertyNames, meetSchemas),
  not: both(a.not, b.not, (left, right) => ({ anyOf: [left, right] })),
  patternProperties: both(a.patternProperties, b.patternProperties, meetProperties),
  minProperties: most(a.minProperties, b.minProperties),
  maxProperties: least(a.maxProperties, b.maxProperties),
  dependentRequired: both(a.dependentRequired, b.dependentRequired, meetDependents),
});

/** The most alternatives of a schema: nested unions multiply. */
const MOST_ALTERNATIVES = 100;

/** `not: {}` accepts no value. */
const acceptsNothing = ({ not }: SchemaObject): boolean =>
  not === true || (isObject(not) && Object.keys(not).length === 0);

/**
 * Flattens a schema into alternatives, one for each path through its unions. An alternative has no `$ref`, `allOf`,
 * `anyOf`, `oneOf`, `if` or `const` at its top; its members may. `$ref`s are absolute.
 */
export const createFlatten = (resolve: (ref: string) => unknown) => {
  const known = new WeakMap<SchemaObject, SchemaObject[]>();

  const flatten = (schema: Schema): SchemaObject[] => {
    if (typeof schema === 'boolean') return schema ? [{}] : [];
    const alternatives = known.get(schema) ?? expand(schema);
    known.set(schema, alternatives);
    return alternatives;
  };

  const expand = (schema: SchemaObject): SchemaObject[] => {
    const { $ref, allOf = [], anyOf, oneOf, if: when, then = true, else: otherwise = true, ...rest } = schema;
    const { const: only, ...open } = rest;
    if (acceptsNothing(rest)) return [];
    known.set(schema, []); // a schema that only refers to itself has no alternatives
    const own = only === undefined ? open : meet(open, { enum: [only] });
    const target = $ref === undefined ? [] : [resolve($ref)].filter(isSchema);
    const ways = when === undefined ? undefined : [{ allOf: [when, then] }, otherwise];
    const unions = [anyOf, oneOf, ways].flatMap((union) => (union ? [union.flatMap(flatten)] : []));
    return [...[...target, ...allOf].map(flatten), ...unions].reduce<SchemaObject[]>(
      (alternatives, part) =>
        alternatives.flatMap((one) => part.map((other) => meet(one, other))).slice(0, MOST_ALTERNATIVES),
      [own],
    );
  };

  return flatten;
};

/** Flattens schemas into their alternatives, and validates values. */
export interface Judge extends Pick<Oracle, 'accepts'> {
  readonly flatten: ReturnType<typeof createFlatten>;
}

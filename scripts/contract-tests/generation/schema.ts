import { identityOf, isObject, type Json } from './json.ts';
import { compare, type Numeric } from './numbers.ts';

/** The keywords of JSON Schema that values are made from. What else a schema says is left to the oracle. */
export interface SchemaObject {
  readonly $ref?: string | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly Json[] | undefined;
  readonly const?: Json | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: Numeric | undefined;
  readonly maximum?: Numeric | undefined;
  readonly exclusiveMinimum?: Numeric | undefined;
  readonly exclusiveMaximum?: Numeric | undefined;
  readonly multipleOf?: Numeric | undefined;
  readonly items?: Schema | undefined;
  readonly prefixItems?: readonly Schema[] | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema | undefined;
  readonly unevaluatedProperties?: Schema | undefined;
  readonly unevaluatedItems?: Schema | undefined;
  readonly patternProperties?: Readonly<Record<string, Schema>> | undefined;
  readonly propertyNames?: Schema | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly contains?: Schema | undefined;
  readonly minContains?: number | undefined;
  readonly not?: Schema | undefined;
  readonly if?: Schema | undefined;
  readonly then?: Schema | undefined;
  readonly else?: Schema | undefined;
  readonly examples?: readonly Json[] | undefined;
  readonly example?: Json | undefined;
  readonly default?: Json | undefined;
  readonly contentMediaType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly writeOnly?: boolean | undefined;
  readonly discriminator?: { propertyName: string; mapping?: Readonly<Record<string, string>> } | undefined;
}

/** A JSON Schema: `true` takes everything, `false` nothing. */
export type Schema = boolean | SchemaObject;

/** A document that was checked before (`npm run generate`) has a schema wherever it has an object. */
export const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

/** What both ask for: the one where the other is silent. */
const both = <T>(a: T | undefined, b: T | undefined, meet: (a: T, b: T) => T): T | undefined => {
  if (a === undefined) return b;
  return b === undefined ? a : meet(a, b);
};

/** The larger of two, where there are two. */
const most = <T extends Numeric>(a: T | undefined, b: T | undefined): T | undefined =>
  both(a, b, (left, right) => (compare(left, right) < 0 ? right : left));

/** The smaller of two, where there are two. */
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
    Object.entries(b).map(([name, schema]) => [name, both(a[name], schema, meetSchemas) ?? true]),
  ),
});

/** One flat schema for two. */
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
  patternProperties: both(a.patternProperties, b.patternProperties, meetProperties),
  minProperties: most(a.minProperties, b.minProperties),
  maxProperties: least(a.maxProperties, b.maxProperties),
  dependentRequired: both(a.dependentRequired, b.dependentRequired, (left, right) => ({ ...left, ...right })),
});

/** Unions of unions multiply; past this many ways through, the rest is not tried. */
const MOST_ALTERNATIVES = 100;

/** `not: {}` takes nothing. */
const takesNothing = ({ not }: SchemaObject): boolean =>
  not === true || (isObject(not) && Object.keys(not).length === 0);

/**
 * Flattens a schema into its alternatives: one for each way through its unions, each without `$ref`, `allOf`,
 * `anyOf`, `oneOf`, `if` and `const` of its own. Members keep theirs. `$ref`s are absolute.
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
    if (takesNothing(rest)) return [];
    known.set(schema, []); // what it is made of itself alone can never end
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

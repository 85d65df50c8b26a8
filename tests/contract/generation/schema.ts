import { isObject, type Json, toJson } from './json.ts';

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
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  readonly multipleOf?: number | undefined;
  readonly items?: Schema | undefined;
  readonly prefixItems?: readonly Schema[] | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema | undefined;
  readonly unevaluatedProperties?: Schema | undefined;
}

/** A JSON Schema: `true` takes everything, `false` nothing. */
export type Schema = boolean | SchemaObject;

/** A document that was checked before (`npm run generate`) has a schema wherever it has an object. */
export const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

/** What a `$ref` into the document stands for (RFC 6901, section 6). */
export const lookUp = (document: unknown, ref: string): unknown =>
  decodeURIComponent(ref.replace(/^#/, ''))
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((here: unknown, step) => (isObject(here) ? here[step] : undefined), document);

const most = (...values: readonly (number | undefined)[]): number | undefined => {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
};

const least = (...values: readonly (number | undefined)[]): number | undefined => {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
};

/** What both ask for: the one where the other is silent. */
const both = <T>(a: T | undefined, b: T | undefined, meet: (a: T, b: T) => T): T | undefined => {
  if (a === undefined) return b;
  return b === undefined ? a : meet(a, b);
};

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
    left.filter((each) => right.some((other) => toJson(each) === toJson(other))),
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
});

/**
 * Flattens a schema into its alternatives: one for each way through its unions, each without `$ref`, `allOf`,
 * `anyOf`, `oneOf` and `const` of its own. Members keep theirs.
 */
export const createFlatten = (document: unknown) => {
  const known = new WeakMap<SchemaObject, SchemaObject[]>();

  const flatten = (schema: Schema): SchemaObject[] => {
    if (typeof schema === 'boolean') return schema ? [{}] : [];
    const alternatives = known.get(schema) ?? expand(schema);
    known.set(schema, alternatives);
    return alternatives;
  };

  const expand = ({ $ref, allOf = [], anyOf, oneOf, const: only, ...rest }: SchemaObject): SchemaObject[] => {
    const own = only === undefined ? rest : meet(rest, { enum: [only] });
    const target = $ref === undefined ? [] : [lookUp(document, $ref)].filter(isSchema);
    const parts = [...target, ...allOf].map(flatten);
    const unions = [anyOf, oneOf].flatMap((union) => (union ? [union.flatMap(flatten)] : []));
    return [...parts, ...unions].reduce<SchemaObject[]>(
      (alternatives, part) => alternatives.flatMap((one) => part.map((other) => meet(one, other))),
      [own],
    );
  };

  return flatten;
};

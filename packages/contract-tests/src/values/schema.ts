import { isObject, type Json } from './json.ts';
import type { Numeric } from './numbers.ts';

/** The JSON Schema keywords used for generation. The oracle validates all keywords. */
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
  readonly maxContains?: number | undefined;
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

/** A JSON Schema: `true` accepts every value, `false` none. */
export type Schema = boolean | SchemaObject;

/** Narrows to a schema. The documents are validated before, so every object in a schema's place is one. */
export const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

/** Reads an own member, never an inherited one such as `constructor`. */
export const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

/**
 * Compiles a pattern with the flag `u`, as JSON Schema 2020-12 (section 6.4) recommends, or without it if only that is valid,
 * such as `[\w-.]`. Throws if it is invalid.
 */
export const compilePattern = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
};

/** The schemas of a member: by its name and matching patterns, else `additionalProperties`. */
export const memberSchemasOf = (flat: SchemaObject, name: string): readonly Schema[] => {
  const named = ownOf(flat.properties, name);
  const ofPatterns = Object.entries(flat.patternProperties ?? {}).flatMap(([pattern, schema]) =>
    compilePattern(pattern).test(name) ? [schema] : [],
  );
  const said = named === undefined ? ofPatterns : [named, ...ofPatterns];
  return said.length > 0 ? said : [flat.additionalProperties ?? true];
};

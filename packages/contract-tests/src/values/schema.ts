import { compilePattern } from '@trellis/openapi/internal/schema';
import { isObject, type Json } from './json.ts';
import type { Numeric } from './numbers.ts';

type Keywords<Name extends string, Value> = { readonly [name in Name]?: Value | undefined };

/** The JSON Schema keywords used for generation. The oracle validates all keywords. */
export interface SchemaObject
  extends Keywords<'$ref' | 'format' | 'pattern' | 'contentMediaType' | 'contentEncoding', string>,
    Keywords<'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf', Numeric>,
    Keywords<'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minContains', number>,
    Keywords<'minProperties' | 'maxProperties', number>,
    Keywords<'uniqueItems' | 'readOnly', boolean>,
    Keywords<'enum' | 'examples', readonly Json[]>,
    Keywords<'const' | 'example' | 'default', Json>,
    Keywords<'allOf' | 'anyOf' | 'oneOf' | 'prefixItems', readonly Schema[]>,
    Keywords<'not' | 'if' | 'then' | 'else' | 'contains' | 'items' | 'unevaluatedItems', Schema>,
    Keywords<'additionalProperties' | 'unevaluatedProperties' | 'propertyNames', Schema>,
    Keywords<'properties' | 'patternProperties', Readonly<Record<string, Schema>>> {
  readonly type?: string | readonly string[] | undefined;
  readonly required?: readonly string[] | undefined;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly discriminator?: { propertyName: string; mapping?: Readonly<Record<string, string>> } | undefined;
}

/** A JSON Schema: `true` accepts every value, `false` none. */
export type Schema = boolean | SchemaObject;

/** Narrows to a schema. The documents are validated before, so every object in a schema's place is one. */
export const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

/** Reads an own member, never an inherited one such as `constructor`. */
export const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

/** The schemas of a member: by its name and matching patterns, else `additionalProperties`. */
export const memberSchemasOf = (flat: SchemaObject, name: string): readonly Schema[] => {
  const named = ownOf(flat.properties, name);
  const ofPatterns = Object.entries(flat.patternProperties ?? {}).flatMap(([pattern, schema]) =>
    compilePattern(pattern)?.test(name) ? [schema] : [],
  );
  const said = named === undefined ? ofPatterns : [named, ...ofPatterns];
  return said.length > 0 ? said : [flat.additionalProperties ?? true];
};

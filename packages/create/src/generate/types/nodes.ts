/** Types of schemas that openapi-typescript cannot express: bigints, bytes, open tuples. */

import { rewriteSchemas } from '@trellis/openapi/internal/document';
import { isBigint, isTree } from '@trellis/openapi/internal/json';
import { type SchemaObject, type TransformNodeOptions, transformSchemaObject } from 'openapi-typescript';
import ts from 'typescript';
import { BYTES } from '../mark-bytes.ts';

const { factory } = ts;
const TYPE_NODES = new Map<unknown, ts.TypeNode>([
  ['integer', factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)],
  ['number', factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)],
  ['string', factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)],
  ['boolean', factory.createKeywordTypeNode(ts.SyntaxKind.BooleanKeyword)],
  ['null', factory.createLiteralTypeNode(factory.createNull())],
]);

/** Beyond 2^53 the literal of a number may be rounded to another number. */
const isBeyondNumbers = (constant: unknown): boolean =>
  isBigint(constant) || (typeof constant === 'number' && !Number.isSafeInteger(constant));

/** A double cannot hold an int64 exactly; a bigint can. Enums keep the literals of openapi-typescript. */
export const int64AsBigint = (schema: {
  type?: unknown;
  format?: unknown;
  enum?: unknown;
  const?: unknown;
}) => {
  if (schema.format !== 'int64') return undefined;
  const constants = [schema.enum, schema.const].flat().filter((constant) => constant !== undefined);
  if (constants.length > 0 && !constants.some(isBeyondNumbers)) return undefined;
  const types: unknown[] = [schema.type].flat();
  const nodes = types.flatMap((type) => TYPE_NODES.get(type) ?? []);
  if (!types.includes('integer') || nodes.length < types.length) return undefined;
  return nodes.length === 1 ? nodes[0] : factory.createUnionTypeNode(nodes);
};

/** openapi-typescript turns constants into literals before it calls `transform`, so rounded ones are removed first. */
export const withoutRoundedConstants = (document: unknown): unknown =>
  rewriteSchemas(document, (schema) =>
    int64AsBigint(schema) ? { ...schema, enum: undefined, const: undefined } : schema,
  );

/** The type of a schema that `markBytes` has marked. */
export const bytesAsBuffer = (schema: { type?: unknown; [BYTES]?: unknown }) => {
  if (schema[BYTES] === undefined) return undefined;
  const buffer = factory.createTypeReferenceNode('Buffer');
  const isNullable = [schema.type].flat().includes('null');
  return isNullable
    ? factory.createUnionTypeNode([buffer, factory.createLiteralTypeNode(factory.createNull())])
    : buffer;
};

/** The type of a list with `prefixItems`. openapi-typescript drops the `items` after these. */
export const openTuple = (schema: SchemaObject, options: TransformNodeOptions) => {
  // A schema may be `true` or `false`, whatever its type says.
  if (typeof schema !== 'object' || !('prefixItems' in schema) || !schema.prefixItems) return undefined;
  const { prefixItems, items } = schema;
  if (!isTree(items) || Array.isArray(items)) return undefined;
  const rest = factory.createArrayTypeNode(transformSchemaObject(items, options));
  const first = prefixItems.map((item) => transformSchemaObject(item, options));
  return factory.createTupleTypeNode([...first, factory.createRestTypeNode(rest)]);
};

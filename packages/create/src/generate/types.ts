/** Writes generated/openapi.ts. Only this file knows openapi-typescript. */
import { join } from 'node:path';
import { createConfig } from '@redocly/openapi-core';
import { allOperations, needsCredentials, rewriteSchemas } from '@trellis/openapi/document';
import { isBigint, isTree, ownMember, pointerTo, targetOf, withoutBigints } from '@trellis/openapi/json';
import { defaultOf, isLeftOut, isPlain } from '@trellis/openapi/schema';
import {
  addJSDocComment,
  astToString,
  type GlobalContext,
  type OpenAPI3,
  type OpenAPITSOptions,
  resolveRef,
  type SchemaObject,
  scanDiscriminators,
  type TransformNodeOptions,
  transformSchema,
  transformSchemaObject,
} from 'openapi-typescript';
import ts from 'typescript';
import { DO_NOT_EDIT, keyOf, quote } from '../literal.ts';
import { withoutCircles } from './checks/endless-schemas.ts';
import { BYTES, markBytes } from './mark-bytes.ts';
import {
  withCallbacks,
  withOwnMethods,
  withoutExamples,
  withPlainMethods,
  withPlainParts,
  withPlainReferences,
  withReceivedParameters,
  withReferencesApart,
  withRequiredMembers,
} from './plain-document.ts';
import { withNamedBranches, withSubtypes } from './subtypes.ts';
import { withWords } from './words.ts';

/** The file with the types of the contract. */
export const TYPES = join('generated', 'openapi.ts');

/** The marks of properties, as packages/openapi declares them. */
const MARKS = ['$Default', '$Read', '$Write'];

/** The import of the marks that the types use. */
const importMarks = (types: string): string => {
  const used = MARKS.filter((mark) => types.includes(`${mark}<`));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from "@trellis/openapi/types";\n`;
};

const { factory } = ts;
const TYPE_NODES = new Map<unknown, ts.TypeNode>([
  ['integer', factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)],
  ['number', factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)],
  ['string', factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)],
  ['boolean', factory.createKeywordTypeNode(ts.SyntaxKind.BooleanKeyword)],
  ['null', factory.createLiteralTypeNode(factory.createNull())],
]);

/** Beyond 2^53 the literal of a number may stand for another number. */
const isBeyondNumbers = (constant: unknown): boolean =>
  isBigint(constant) || (typeof constant === 'number' && !Number.isSafeInteger(constant));

/** A double cannot hold an int64 exactly; a bigint can. Enums keep the literals that openapi-typescript gives them. */
const int64AsBigint = (schema: { type?: unknown; format?: unknown; enum?: unknown; const?: unknown }) => {
  if (schema.format !== 'int64') return undefined;
  const constants = [schema.enum, schema.const].flat().filter((constant) => constant !== undefined);
  if (constants.length > 0 && !constants.some(isBeyondNumbers)) return undefined;
  const types: unknown[] = [schema.type].flat();
  const nodes = types.flatMap((type) => TYPE_NODES.get(type) ?? []);
  if (!types.includes('integer') || nodes.length < types.length) return undefined;
  return nodes.length === 1 ? nodes[0] : factory.createUnionTypeNode(nodes);
};

/** openapi-typescript turns constants into literals before it calls `transform`, so rounded ones are removed first. */
const withoutRoundedConstants = (document: unknown): unknown =>
  rewriteSchemas(document, (schema) =>
    int64AsBigint(schema) ? { ...schema, enum: undefined, const: undefined } : schema,
  );

/** The type of a schema that `markBytes` has marked. */
const bytesAsBuffer = (schema: { type?: unknown; [BYTES]?: unknown }) => {
  if (schema[BYTES] === undefined) return undefined;
  const buffer = factory.createTypeReferenceNode('Buffer');
  const isNullable = [schema.type].flat().includes('null');
  return isNullable
    ? factory.createUnionTypeNode([buffer, factory.createLiteralTypeNode(factory.createNull())])
    : buffer;
};

/** A list whose first items have schemas of their own: openapi-typescript forgets the `items` that follow these. */
const openTuple = (schema: SchemaObject, options: TransformNodeOptions) => {
  // A schema may be `true` or `false`, whatever its type says.
  if (typeof schema !== 'object' || !('prefixItems' in schema) || !schema.prefixItems) return undefined;
  const { prefixItems, items } = schema;
  if (!isTree(items) || Array.isArray(items)) return undefined;
  const rest = factory.createArrayTypeNode(transformSchemaObject(items, options));
  const first = prefixItems.map((item) => transformSchemaObject(item, options));
  return factory.createTupleTypeNode([...first, factory.createRestTypeNode(rest)]);
};

/**
 * Makes a function that marks the type of a property that is readOnly, is writeOnly or has a default. Most schemas say so
 * themselves. The others are put into one document, so that what is found out about a shared schema is found out once.
 */
const createMarker = (document: unknown) => {
  const probes: unknown[] = [];
  const probed = { ...(isTree(document) && document), probes };
  const judge = (schema: unknown) => {
    if (isPlain(schema))
      return {
        inRequests: schema.readOnly !== true,
        inReplies: schema.writeOnly !== true,
        hasDefault: schema.default !== undefined,
      };
    const at = pointerTo('probes', `${probes.push(schema) - 1}`);
    return {
      inRequests: !isLeftOut(probed, at, 'request'),
      inReplies: !isLeftOut(probed, at, 'reply'),
      hasDefault: defaultOf(probed, at, ['allOf']) !== undefined,
    };
  };
  return (property: ts.PropertySignature, schema: unknown) => {
    const { inRequests, inReplies, hasDefault } = judge(schema);
    const marks = [
      ...(inRequests && hasDefault ? ['$Default'] : []),
      ...(inRequests ? [] : ['$Read']),
      ...(inReplies ? [] : ['$Write']),
    ];
    const type = marks.reduce<ts.TypeNode | undefined>(
      (inner, mark) => inner && factory.createTypeReferenceNode(mark, [inner]),
      property.type,
    );
    return factory.updatePropertySignature(property, undefined, property.name, property.questionToken, type);
  };
};

/** The options that openapi-typescript turns a document into types with. */
const optionsFor = (markProperty: ReturnType<typeof createMarker>) =>
  ({
    silent: true,
    defaultNonNullable: false, // $Default says so, for requests only
    emptyObjectsUnknown: true, // an object without properties may have any
    transform: (schema, options) =>
      bytesAsBuffer(schema) ?? int64AsBigint(schema) ?? openTuple(schema, options),
    transformProperty: (property, schema, { path = '' }) =>
      /\/\$defs\/[^/]*$/.test(path) ? undefined : markProperty(property, schema),
  }) satisfies OpenAPITSOptions;

/** Gives each operation its comment. openapi-typescript writes comments of operations in `paths` only. */
const commentOperations = (nodes: readonly ts.Node[], document: unknown): void => {
  const operations = new Map(allOperations(document).map(({ id, operation }) => [id, operation]));
  const members = nodes
    .filter(ts.isInterfaceDeclaration)
    .flatMap(({ name, members }) => (name.text === 'operations' ? members : []));
  for (const member of members.filter(ts.isPropertySignature)) {
    const operation = ts.isComputedPropertyName(member.name) ? undefined : operations.get(member.name.text);
    if (operation) addJSDocComment(operation, member);
  }
};

/**
 * Turns a document into types. openapi-typescript's main function would check it and look for other files first: both have
 * been done, and with a large document they take as long as the types themselves.
 */
const toTypes = async (document: OpenAPI3, options: ReturnType<typeof optionsFor>) => {
  const context: GlobalContext = {
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    discriminators: scanDiscriminators(document, options),
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: false,
    generatePathParams: false,
    immutable: false,
    injectFooter: [],
    makePathsEnum: false,
    pathParamsAsTypes: false,
    postTransform: undefined,
    propertiesRequiredByDefault: false,
    readWriteMarkers: false,
    redoc: await createConfig({}),
    resolve: ($ref) => resolveRef(document, $ref, { silent: true }),
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    ...options,
  };
  const nodes = transformSchema(document, context);
  commentOperations(nodes, document);
  return nodes;
};

/**
 * What stands for signs that openapi-typescript gets wrong: it takes names for references, and throws on `100%`; it writes
 * `/` for `#` in an operationId, and the operationId `1` as a number.
 */
const MASKS = { percent: '|percent sign|', hash: '|hash sign|', number: '|number|' };
const MASKED = /%|"operationId":"(?:[^"]*#|\d)/;

const maskIds = (key: string, value: unknown): unknown => {
  if (key === 'operationId' && typeof value === 'string')
    return (/^\d/.test(value) ? MASKS.number : '') + value.replaceAll('#', MASKS.hash);
  const target = key === '$ref' ? targetOf(value) : undefined;
  return target === undefined ? value : `#${target}`;
};

/** A copy for openapi-typescript, which changes it. */
const copyMasked = (document: unknown) => {
  const plain = JSON.stringify(document);
  return JSON.parse(
    MASKED.test(plain) ? JSON.stringify(document, maskIds).replaceAll('%', MASKS.percent) : plain,
  );
};

const unmask = (text: string): string =>
  text.replaceAll(MASKS.percent, '%').replaceAll(MASKS.hash, '#').replaceAll(MASKS.number, '');

/** openapi-typescript takes required members from a type by its keys, and `Thing | null` has none: take them of each part. */
const withRequiredOfUnions = (text: string): string =>
  text.replace(
    /^type WithRequired<[\s\S]*?^\};$/m,
    `type WithRequired<T, K extends PropertyKey> = T extends object ? T & {
    [P in K & keyof T]-?: T[P];
} : T;`,
  );

/** Whatever openapi-typescript makes of a name, it must be a type, and never a statement that runs. */
const checkTypes = (text: string): void => {
  const { statements } = ts.createSourceFile(TYPES, text, ts.ScriptTarget.Latest);
  if (!statements.every((each) => ts.isTypeAliasDeclaration(each) || ts.isInterfaceDeclaration(each)))
    throw new Error('its names make other code than types; write references to components only');
};

/** The type that says by which security schemes the operations know their callers. */
const renderSecurity = (document: unknown): string => {
  const members = allOperations(document).map(({ id, operation }) => {
    const requirements: unknown = operation.security ?? ownMember(document, 'security');
    const names = [requirements].flat().flatMap((each) => Object.keys(isTree(each) ? each : {}));
    const schemes = [...new Set(names)].map(quote);
    return `    ${keyOf(id)}: ${[...schemes, ...(needsCredentials(requirements) ? [] : ['undefined'])].join(' | ')};`;
  });
  return `/** The security schemes of each operation; \`undefined\` where it needs no credentials. */
export interface security {
${members.join('\n')}
}
`;
};

/** The text of generated/openapi.ts. */
export const renderTypes = async (contract: unknown): Promise<string> => {
  const document = withoutCircles(
    withRequiredMembers(
      withCallbacks(
        withPlainReferences(withReferencesApart(withSubtypes(withNamedBranches(withoutExamples(contract))))),
      ),
    ),
  );
  const markProperty = createMarker(document);
  const described = withWords(
    withPlainMethods(withPlainParts(withoutRoundedConstants(markBytes(withReceivedParameters(document))))),
  );
  const nodes = await toTypes(copyMasked(withoutBigints(described)), optionsFor(markProperty));
  // A contract without operations has no operationId at all, instead of every text.
  const text = withRequiredOfUnions(withOwnMethods(unmask(astToString(nodes)))).replace(
    /^(export type (?:operations|webhooks) =) Record<string, never>;$/gm,
    '$1 {};',
  );
  const types = text + renderSecurity(contract);
  checkTypes(types);
  return `${DO_NOT_EDIT}${importMarks(types)}\n${types}`;
};

/** Calls openapi-typescript. */
import { createConfig } from '@redocly/openapi-core';
import { allOperations } from '@trellis/openapi/internal/document';
import { ownMember, targetOf, withoutBigints } from '@trellis/openapi/internal/json';
import { BRANCHES, membersOf } from '@trellis/openapi/internal/schema';
import {
  addJSDocComment,
  astToString,
  type GlobalContext,
  type OpenAPITSOptions,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
import ts from 'typescript';
import type { createMarker } from './marks.ts';
import { bytesAsBuffer, int64AsBigint, openTuple } from './nodes.ts';

/**
 * Placeholders for characters that openapi-typescript mishandles: it takes names for references, and throws on `100%`;
 * it writes `/` for `#` in an operationId, and the operationId `1` as a number.
 */
const MASKS = { percent: '|percent sign|', hash: '|hash sign|', number: '|number|' };
const MASKED = /%|"operationId":"(?:[^"]*#|\d)/;

const maskIds = (key: string, value: unknown): unknown => {
  if (key === 'operationId' && typeof value === 'string')
    return (/^\d/.test(value) ? MASKS.number : '') + value.replaceAll('#', MASKS.hash);
  const target = key === '$ref' ? targetOf(value) : undefined;
  return target === undefined ? value : `#${target}`;
};

/** Copies a document for openapi-typescript, which modifies it, and masks the characters that it mishandles. */
const copyMasked = (document: unknown) => {
  const plain = JSON.stringify(document);
  return JSON.parse(
    MASKED.test(plain) ? JSON.stringify(document, maskIds).replaceAll('%', MASKS.percent) : plain,
  );
};

/** The options of openapi-typescript. */
const optionsFor = (markProperty: ReturnType<typeof createMarker>) =>
  ({
    silent: true,
    defaultNonNullable: false, // $Default marks defaults, for requests only
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

/** Shows the members that a schema has by its branches: openapi-typescript requires only those in `properties`. */
const withMembers = <T>(document: unknown, ref: string, resolved: T): T => {
  if (typeof resolved !== 'object' || !BRANCHES.some((keyword) => ownMember(resolved, keyword)))
    return resolved;
  const members = membersOf(document, ref.slice(1)).map((name) => [name, {}]);
  return { ...resolved, properties: Object.fromEntries(members) };
};

/**
 * Renders a document as types. The main function of openapi-typescript would also validate the document and resolve
 * files, which is done already, and takes as long as the types themselves.
 */
export const toTypes = async (
  contract: unknown,
  markProperty: ReturnType<typeof createMarker>,
): Promise<string> => {
  const document = copyMasked(withoutBigints(contract));
  const options = optionsFor(markProperty);
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
    resolve: ($ref) => withMembers(document, $ref, resolveRef(document, $ref, { silent: true })),
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    ...options,
  };
  const nodes = transformSchema(document, context);
  commentOperations(nodes, document);
  return astToString(nodes)
    .replaceAll(MASKS.percent, '%')
    .replaceAll(MASKS.hash, '#')
    .replaceAll(MASKS.number, '');
};

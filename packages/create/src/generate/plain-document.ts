/** Rewrites a document so that openapi-typescript makes the types of it that handlers need. */

import { parameterDefault, parameterSchemaAt, placeOf } from '@trellis/contract/internal';
import { operationsIn, outgoingOperations, rewriteSchemas } from '@trellis/openapi/internal/document';
import { followRefs, isTree, ownMember, pointerTo, toJson, valueAt } from '@trellis/openapi/internal/json';
import { isPlain } from '@trellis/openapi/internal/schema';
import { inComment } from '../literal.ts';

/**
 * What openapi-typescript throws on: it takes the values of an object's enum for schemas, and wants no booleans in an
 * allOf and no map of parameters outside of components.
 */
export const withPlainParts = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    const { enum: values, allOf, parameters } = object;
    if (!isSchema && isTree(parameters) && !Array.isArray(parameters) && pointer !== '/components')
      return { ...object, parameters: Object.values(parameters) };
    if (!isSchema || (values === undefined && allOf === undefined)) return object;
    const isOdd = Array.isArray(values) && (object.type === 'object' || values.some(isTree));
    const parts = Array.isArray(allOf)
      ? allOf.map((part) => (isTree(part) ? part : part ? {} : { not: {} }))
      : allOf;
    return { ...object, enum: isOdd ? undefined : values, allOf: parts };
  });

/** Replaces references outside of schemas by their targets, where the pointer matches `place`. */
const withTargets = (document: unknown, place: RegExp): unknown =>
  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    const isReference = !isSchema && typeof object.$ref === 'string' && place.test(pointer);
    const target = isReference ? valueAt(document, followRefs(document, pointer)) : undefined;
    return isTree(target) ? { ...target } : object;
  });

/**
 * openapi-typescript takes a component that is a reference to another one for an empty one, and a reference to a header
 * for a header that is always there.
 */
export const withPlainReferences = (document: unknown): unknown =>
  withTargets(withTargets(document, /^\/components\/[^/]+\/[^/]+$/), /\/headers\/[^/]+$/);

/** Keywords that say more about the type of a value than a reference beside them. */
const BESIDE = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
];

/** openapi-typescript drops the keywords beside a `$ref`. */
export const withReferencesApart = (document: unknown): unknown =>
  rewriteSchemas(document, (object, _pointer, _home, isSchema) => {
    const { $ref, ...rest } = object;
    if (!isSchema || typeof $ref !== 'string' || !BESIDE.some((key) => key in rest)) return object;
    return { allOf: [{ $ref }, rest] };
  });

/** The methods that openapi-typescript knows. */
const KNOWN = /^(?:get|put|post|delete|options|head|patch|trace)$/;

/**
 * Moves operations with methods that openapi-typescript does not support to the POST of a made-up path: `QUERY
 * /things`.
 */
export const withPlainMethods = (document: unknown): unknown => {
  const items = Object.entries(ownMember(document, 'paths') ?? {}).flatMap(([path, item]) => {
    const others = operationsIn(item).filter(({ method }) => !KNOWN.test(method));
    const parameters = ownMember(item, 'parameters');
    return [
      [path, item],
      ...others.map(({ method, operation: post }) => [
        `${method.toUpperCase()} ${path}`,
        { parameters, post },
      ]),
    ];
  });
  return isTree(document) ? { ...document, paths: Object.fromEntries(items) } : document;
};

/** The types of such paths, with their methods again. */
export const withOwnMethods = (text: string): string =>
  text.replace(/^ {4}"([A-Z-]+) \/.*: \{$[\s\S]*?^ {4}\};$/gm, (block: string, method: string) =>
    block.replace(/^ {8}post: /m, `        "${method.toLowerCase()}": `),
  );

/** Callbacks, which openapi-typescript does not know, become webhooks: `createBooking.paid`. */
export const withCallbacks = (document: unknown): unknown => {
  const callbacks = outgoingOperations(document).filter(({ callback }) => callback);
  if (!isTree(document) || callbacks.length === 0) return document;
  const webhooks: Record<string, object> = {};
  for (const { name, method, operation } of callbacks)
    webhooks[name] = { ...webhooks[name], [method]: { ...operation, operationId: undefined } };
  return { ...document, webhooks: { ...webhooks, ...(isTree(document.webhooks) && document.webhooks) } };
};

/** A required member that is not described may be anything. Branches are left alone: another one may describe it. */
export const withRequiredMembers = (document: unknown): unknown =>
  rewriteSchemas(document, (schema, pointer) => {
    const { properties, required } = schema;
    const isBranch = /\/(?:allOf|anyOf|oneOf)\/\d+$/.test(pointer);
    if (isBranch || !isPlain(schema) || !isTree(properties) || !Array.isArray(required)) return schema;
    const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
    if (missing.length === 0) return schema;
    return {
      ...schema,
      properties: { ...properties, ...Object.fromEntries(missing.map((name) => [name, {}])) },
    };
  });

/** openapi-typescript applies `required` beside an `allOf` to all parts, but `required` in a part to that part only. */
export const withSharedRequired = (document: unknown): unknown =>
  rewriteSchemas(document, (schema) => {
    const { allOf, required = [] } = schema;
    if (!Array.isArray(allOf)) return schema;
    const names = [required, ...allOf.map((part) => ownMember(part, 'required') ?? [])].flat();
    return names.length === 0 ? schema : { ...schema, required: [...new Set(names)] };
  });

/** Examples of bodies leave no trace in types, and may be a third of a document. */
export const withoutExamples = (document: unknown): unknown =>
  isTree(document) && isTree(document.components)
    ? { ...document, components: { ...document.components, examples: undefined } }
    : document;

/**
 * A copy of a document in which a parameter sent as JSON has a plain schema, and a parameter with a default is
 * required, since a handler always gets it.
 */
export const withReceivedParameters = (document: unknown): unknown =>
  rewriteSchemas(document, (copy, pointer) => {
    const place = /\/parameters\/[^/]+$/.test(pointer) ? placeOf(copy.in) : undefined;
    if (!place) return copy;
    const schemaAt = parameterSchemaAt(document, pointer);
    const hasDefault = parameterDefault(document, place, schemaAt) !== undefined;
    const schema = valueAt(document, schemaAt);
    return { ...copy, in: place, content: undefined, schema, required: hasDefault || copy.required };
  });

/** The keywords that openapi-typescript copies into comments. */
const WORDS = new Set(['title', 'summary', 'description', 'format', 'default', 'example', 'examples']);

const textOf = (value: unknown): string => inComment(typeof value === 'string' ? value : toJson(value));

/** The words of an object, as texts that neither end a comment nor begin a tag in it. */
const wordsOf = (object: unknown): object => {
  const entries = Object.entries(isTree(object) ? object : {}).flatMap(
    ([key, value]): [string, unknown][] => {
      if (!WORDS.has(key) || value === undefined) return [];
      if (key !== 'examples') return [[key, textOf(value)]];
      return Array.isArray(value) ? [[key, value.map(textOf)]] : [];
    },
  );
  return Object.fromEntries(entries);
};

/**
 * A document for openapi-typescript. A parameter or header without words gets the words of its schema, a reference the words
 * of its target.
 */
export const withWords = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    const isParameter = /\/(?:parameters|headers)\/[^/]+$/.test(pointer);
    const schemaAt = isParameter ? pointer + pointerTo('schema') : isSchema && '$ref' in object && pointer;
    const described = schemaAt ? valueAt(document, followRefs(document, schemaAt)) : undefined;
    return { ...object, ...wordsOf(described), ...wordsOf(object) };
  });

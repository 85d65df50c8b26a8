/**
 * What becomes of every member of OpenAPI 3.1 and 3.2, and of every keyword of its schemas. docs/reference/openapi-support.md shows
 * this list, and a test keeps the two the same.
 *
 * - `served`: the service does what the standard says
 * - `warned`: it is served in another way, or left out, and `npm run generate` says so
 * - `refused`: a document with it is not served
 * - `ignored`: it changes nothing for requests and replies
 */
type Fate = 'served' | 'warned' | 'refused' | 'ignored';

type Row = readonly [members: string, fate: Fate, words: string];

const DOCUMENT: readonly Row[] = [
  ['openapi', 'served', '3.0, 3.1 and 3.2; 3.0 is upgraded in memory'],
  ['swagger', 'refused', 'Swagger 2: convert the document'],
  ['info, tags, externalDocs', 'ignored', 'shown by the API reference'],
  ['jsonSchemaDialect', 'ignored', 'schemas are JSON Schema 2020-12'],
  ['servers', 'ignored', 'by `npm run generate`'],
  ['paths', 'served', 'none at all: warned, and nothing is served'],
  ['webhooks', 'ignored', 'others serve them'],
  ['components', 'served', 'wherever something refers to it'],
  ['security', 'served', 'an object instead of a list is one requirement: warned'],
  ['$self', 'ignored', '3.2'],
  ['x-…', 'ignored', 'with all that is in it'],
  ['a member that OpenAPI does not have', 'warned', 'and ignored'],
  [
    'a member with a value of the wrong kind',
    'warned',
    'and ignored; a number in place of a text is read as one',
  ],
  ['a name that is not valid Unicode', 'refused', 'no reference could hold it'],
];

const PATHS: readonly Row[] = [
  ['get, put, post, delete, options, head, patch, trace', 'served', ''],
  ['query, additionalOperations', 'warned', '3.2; left out'],
  ['$ref of a path item', 'served', 'what stands beside it counts first'],
  ['parameters of a path', 'served', 'an operation overrides them'],
  ['paths that differ by the name of a parameter', 'warned', 'where both have a method, the first is served'],
  ['a path with a query, or without `/`', 'warned', 'left out'],
  [
    'operationId',
    'served',
    'without one, or with one that is taken, named by method and path: the second is warned',
  ],
  ['requestBody', 'served', ''],
  ['responses', 'served', 'none: warned, any success without a body'],
  ['callbacks, links', 'ignored', ''],
  ['deprecated, summary, description', 'ignored', ''],
  ['security of an operation', 'served', 'none, and none of the document: public, warned'],
];

const PARAMETERS: readonly Row[] = [
  ['in: path, query, header, cookie', 'served', ''],
  ['in: querystring', 'warned', '3.2; ignored'],
  ['name', 'served', 'declared twice: warned, the first counts'],
  ['a path parameter that is not declared', 'warned', 'read as a text'],
  ['a path parameter that its path does not have', 'warned', 'ignored'],
  ['required', 'served', 'a path parameter always is: warned'],
  ['schema, content', 'served', 'neither: warned, any text'],
  [
    'style, explode',
    'served',
    'names with brackets up to 10 levels deep, in queries and forms; a value that OpenAPI does not have: warned, ignored',
  ],
  ['allowReserved, allowEmptyValue', 'ignored', ''],
  ['example, examples', 'served', 'by stubs'],
];

const BODIES: readonly Row[] = [
  ['content, media types and ranges', 'served', ''],
  ['a media type by `$ref`', 'served', '3.2'],
  ['schema of a body', 'served', ''],
  ['encoding', 'served', 'in forms; ignored in multipart'],
  ['itemSchema, itemEncoding, prefixEncoding', 'warned', '3.2; the body is taken as a whole'],
  ['a status, a range such as 4XX, default', 'served', '`4xx` is read as `4XX`, others are ignored: warned'],
  ['headers of a response', 'served', ''],
];

const SECURITY: readonly Row[] = [
  ['a requirement, alternatives, combinations', 'served', ''],
  ['a scheme that is not defined', 'refused', 'nobody could be let in or kept out'],
  ['security that is not understood', 'refused', 'to ignore it would let everybody in'],
];

const SCHEMAS: readonly Row[] = [
  ['$ref', 'served', 'to the document and its files; in 3.0 without what stands beside it'],
  [
    'a `$ref` that leads nowhere, or to a URL',
    'warned',
    'operations that need it are left out; refused if none is left',
  ],
  ['a `$ref` that leads to itself', 'refused', ''],
  ['a `$ref` where OpenAPI allows none, such as an operation', 'warned', 'served as what it refers to'],
  ['$anchor, $dynamicAnchor, $dynamicRef', 'served', 'within the document'],
  ['$id', 'warned', 'ignored'],
  ['$schema, $vocabulary, $comment, $defs', 'ignored', '$defs: served where something refers to it'],
  ['type, enum, const', 'served', 'an empty enum, or a type that JSON does not have: warned, ignored'],
  ['allOf, anyOf, oneOf, not, if, then, else', 'served', 'an empty list: warned, ignored'],
  ['properties, patternProperties, additionalProperties, propertyNames', 'served', ''],
  ['required, dependentRequired, dependentSchemas', 'served', ''],
  ['minProperties, maxProperties', 'served', ''],
  ['items, prefixItems, contains, minContains, maxContains', 'served', ''],
  ['minItems, maxItems, uniqueItems', 'served', ''],
  ['unevaluatedProperties, unevaluatedItems', 'served', ''],
  ['minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf', 'served', 'exact beyond 2^53'],
  ['minLength, maxLength', 'served', ''],
  ['pattern', 'served', 'without the flag `u` if it is valid so only; not valid at all, or slow: warned'],
  ['format', 'served', 'those that docs/reference/openapi.md lists; others are ignored'],
  [
    'contentMediaType, contentEncoding',
    'served',
    'bytes in forms; `format: binary` means the same in all versions',
  ],
  ['contentSchema', 'ignored', ''],
  ['default', 'served', 'one that does not fit its schema: warned, not used'],
  ['readOnly, writeOnly', 'served', ''],
  [
    'title, description, deprecated, examples, example, externalDocs, xml',
    'ignored',
    'stubs use the examples',
  ],
  ['discriminator', 'served', ''],
  ['defaultMapping', 'warned', '3.2; ignored'],
  ['nullable', 'served', '3.0; in later documents warned'],
  ['exclusiveMinimum: true, exclusiveMaximum: true', 'served', '3.0; in later documents warned'],
  ['type: file', 'warned', 'Swagger 2; read as a string of bytes'],
  ['a keyword with a value that JSON Schema does not have', 'warned', 'ignored'],
];

/** The list, by the part of a document that it is about. */
export const SUPPORT: Readonly<Record<string, readonly Row[]>> = {
  Document: DOCUMENT,
  'Paths and operations': PATHS,
  Parameters: PARAMETERS,
  'Bodies and responses': BODIES,
  Security: SECURITY,
  Schemas: SCHEMAS,
};

/** The list as tables in Markdown. */
export const renderSupport = (): string =>
  Object.entries(SUPPORT)
    .map(([title, rows]) => {
      const lines = rows.map(([members, fate, words]) => `| ${members} | ${fate} | ${words} |`);
      return [`## ${title}`, '', '| | | |', '|---|---|---|', ...lines, ''].join('\n');
    })
    .join('\n');

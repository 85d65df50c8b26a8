import fc from 'fast-check';

/** Names that break whatever takes an object for a map, a name for a word, or a pointer for a text. */
export const ODD_NAMES = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  'then',
  '/',
  '~',
  '~1',
  '%',
  '$ref',
  'a b',
  '"',
  '\u{1f331}',
  '\ud800',
  '0',
  '-1',
];
const USUAL_NAMES = [
  'id',
  'name',
  'userId',
  'uuid',
  'kind',
  'items',
  'data',
  'total',
  'next',
  'status',
  'deleted',
];

const name = fc.oneof(
  { arbitrary: fc.constantFrom(...USUAL_NAMES), weight: 3 },
  { arbitrary: fc.constantFrom(...ODD_NAMES), weight: 1 },
);

/** Any JSON, with odd names and numbers that no double holds. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, -0, 1e308, 1e-320, 2 ** 53, '', 'x', '\ud800', '2020-01-01', 'a/b'),
    fc.string({ maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const FORMATS = [
  'int64',
  'int32',
  'float',
  'date-time',
  'date',
  'uuid',
  'email',
  'uri',
  'byte',
  'binary',
  'password',
  'x-unknown',
  'constructor',
];
const PATTERNS = ['^a+$', '\\d', '^(?=a).*$', '[\\w-.]', '^\\p{L}*$', ''];

/** A keyword, or none. */
const perhaps = (key: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc
    .option(values, { nil: undefined, freq: 3 })
    .map((value) => (value === undefined ? {} : { [key]: value }));

const keywords = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((each) => Object.assign({}, ...each));

const bound = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(0.1, 2 ** 53, -(2n ** 63n), 2n ** 64n),
);

const scalar = fc.oneof(
  keywords(
    fc.constant({ type: 'string' }),
    perhaps('format', fc.constantFrom(...FORMATS)),
    perhaps('maxLength', fc.integer({ min: 3, max: 40 })),
  ),
  fc.constantFrom(...PATTERNS).map((pattern) => ({ type: 'string', pattern })),
  keywords(
    fc.constantFrom({ type: 'integer' }, { type: 'number' }),
    perhaps('format', fc.constantFrom(...FORMATS)),
    perhaps('minimum', bound),
  ),
  fc.constantFrom<unknown>({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, {}, true),
  fc.array(anyJson, { minLength: 1, maxLength: 3 }).map((allowed) => ({ enum: allowed })),
);

/** Any schema that most probably accepts something, and is not too deep: to search for values takes long. */
const anySchema = fc.oneof(
  { arbitrary: scalar, weight: 4 },
  { arbitrary: scalar.map((items) => ({ type: 'array', items, maxItems: 2 })), weight: 1 },
  {
    arbitrary: fc
      .tuple(
        fc.dictionary(name, scalar, { maxKeys: 3, noNullPrototype: true }),
        fc.uniqueArray(name, { maxLength: 1 }),
        fc.constantFrom({}, { type: 'object' }, { additionalProperties: false }),
      )
      .map(([properties, required, more]) => ({ ...more, properties, required })),
    weight: 2,
  },
  {
    arbitrary: fc
      .tuple(fc.constantFrom('oneOf', 'anyOf'), scalar, scalar)
      .map(([key, one, other]) => ({ [key]: [one, other] })),
    weight: 1,
  },
  {
    arbitrary: fc
      .constantFrom('Thing', 'Tree', 'Odd')
      .map((each) => ({ $ref: `#/components/schemas/${each}` })),
    weight: 1,
  },
);

/** A thing with an id, as most contracts have it, beside members of any kind. */
const thing = fc
  .tuple(
    fc.constantFrom('id', 'thingId', 'uuid', 'ID', '__proto__', ''),
    fc.constantFrom({ type: 'integer' }, { type: 'string' }, { type: 'integer', format: 'int64' }, {}),
    fc.dictionary(name, anySchema, { maxKeys: 4, noNullPrototype: true }),
    fc.constantFrom({}, { additionalProperties: false }, { additionalProperties: true }),
  )
  .map(([id, ofId, members, open]) => ({
    type: 'object',
    properties: Object.fromEntries([...Object.entries(members), [id, ofId]]),
    ...open,
  }));

const MEDIA_TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/merge-patch+json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/octet-stream',
  'application/xml',
  '*/*',
];

const someSchema = fc.oneof(
  { arbitrary: fc.constant({ $ref: '#/components/schemas/Thing' }), weight: 4 },
  { arbitrary: anySchema, weight: 3 },
);

const content = fc
  .array(
    fc.tuple(
      fc.constantFrom(...MEDIA_TYPES),
      keywords(perhaps('schema', someSchema), perhaps('example', anyJson)),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((each) => Object.fromEntries(each));

const QUERY = ['limit', 'offset', 'page', 'cursor', 'sort', 'q', 'kind', 'status', ...ODD_NAMES];
const HEADERS = [
  'X-Thing',
  'If-Match',
  'Location',
  'Link',
  'constructor',
  '__proto__',
  'X-Total-Count',
  'Retry-After',
];

const parameter = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...QUERY).map((each) => ({ in: 'query', name: each })),
      fc.constantFrom(...HEADERS).map((each) => ({ in: 'header', name: each })),
      fc.constantFrom('a', 'constructor').map((each) => ({ in: 'cookie', name: each })),
    ),
    keywords(
      perhaps('required', fc.boolean()),
      perhaps('style', fc.constantFrom('form', 'simple', 'deepObject', 'spaceDelimited', 'pipeDelimited')),
      perhaps('explode', fc.boolean()),
      perhaps('example', anyJson),
    ),
    anySchema,
  )
  .map(([where, more, schema]) => ({ ...where, ...more, schema }));

const LINKS = [
  '$response.body#/id',
  '$response.header.Location',
  '$response.header.__proto__',
  '$request.body#/',
  '$request.path.id',
  '$response.body#/~',
  '{$response.body#/id}',
  '$method',
];

const headers = fc
  .array(fc.tuple(fc.constantFrom(...HEADERS), fc.record({ required: fc.boolean(), schema: anySchema })), {
    maxLength: 2,
  })
  .map((each) => Object.fromEntries(each));

const response = fc
  .tuple(
    keywords(
      perhaps('content', content),
      perhaps('headers', headers),
      perhaps(
        'links',
        fc
          .constantFrom(...LINKS)
          .map((each) => ({ next: { operationId: 'get /things/{id}', parameters: { id: each } } })),
      ),
    ),
    fc.boolean(),
  )
  .map(([more, isJson]) => ({
    description: '',
    ...(isJson && { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } }),
    ...more,
  }));

const responses = fc
  .array(
    fc.tuple(
      fc.constantFrom('200', '201', '202', '204', '400', '404', '409', '429', '4XX', 'default'),
      response,
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((each) => Object.fromEntries(each));

const SECURITY = [[], [{}], [{ bearer: [] }], [{ key: [] }, {}], [{ basic: [], key: [] }], undefined];

const operation = (id: string) =>
  fc
    .tuple(
      responses,
      fc.array(parameter, { maxLength: 2 }),
      fc.option(content, { nil: undefined, freq: 3 }),
      fc.boolean(),
      fc.constantFrom(...SECURITY),
    )
    .map(([replies, parameters, sent, required, security]) => ({
      operationId: id,
      responses: replies,
      parameters,
      ...(security && { security }),
      ...(sent && !/^(?:get|delete)/.test(id) && { requestBody: { content: sent, required } }),
    }));

const ITEMS = [
  '/things/{id}',
  '/things/{id}/',
  '/things/{id}/parts/{partId}',
  '/things/{__proto__}',
  '/{id}',
  '/labels/{constructor}',
];
const COLLECTIONS = ['/things', '/things/', '/things/{id}/parts', '/settings', '/', '/a~b'];

const pathItem = (path: string) =>
  fc
    .subarray(['get', 'put', 'post', 'delete', 'patch', 'head'], { minLength: 1 })
    .chain((methods) =>
      fc.tuple(
        ...methods.map((method) => operation(`${method} ${path}`).map((each) => [method, each] as const)),
      ),
    )
    .map((each) => ({
      parameters: [...path.matchAll(/\{([^}]*)\}/g)].map(([, of]) => ({
        name: of,
        in: 'path',
        required: true,
        schema: { type: path.length % 2 === 0 ? 'string' : 'integer' },
      })),
      ...Object.fromEntries(each),
    }));

/** A collection with its things, and one more path. */
const paths = fc
  .tuple(
    fc.constantFrom(...ITEMS),
    fc.constantFrom(...COLLECTIONS),
    fc.constantFrom(...COLLECTIONS, ...ITEMS),
  )
  .chain((chosen) =>
    fc.tuple(...[...new Set(chosen)].map((path) => pathItem(path).map((item) => [path, item] as const))),
  )
  .map((each) => Object.fromEntries(each));

/** Random documents of OpenAPI 3.1. */
export const documents: fc.Arbitrary<object> = fc.record({
  openapi: fc.constant('3.1.0'),
  info: fc.constant({ title: 'Random', version: '1' }),
  paths,
  components: fc.record({
    schemas: fc.record({
      Thing: thing,
      Tree: fc.constant({ type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' } } }),
      Odd: scalar,
    }),
    securitySchemes: fc.constant({
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    }),
  }),
});

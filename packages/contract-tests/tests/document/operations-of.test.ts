import { operationsOf } from '../generation/from-schema.ts';

const text = { type: 'string' };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

test('a document without paths has no operations', () => {
  expect(operationsOf({ openapi: '3.1.0' })).toEqual([]);
});

const operations = operationsOf({
  security: [{ bearerAuth: [], key: [] }, { people: [] }],
  paths: {
    '/a/{id}': { $ref: '#/components/pathItems/A' },
    '/b': {
      summary: 'not a method',
      get: { operationId: 'readB', security: [], responses: { '4xx': json(text), default: json(text) } },
    },
  },
  webhooks: { changed: { post: { responses: {} } } },
  components: {
    securitySchemes: {
      bearerAuth: { type: 'http', scheme: 'Bearer' },
      key: { type: 'apiKey', in: 'cookie', name: 'k' },
      people: { type: 'openIdConnect', openIdConnectUrl: 'https://example.com' },
    },
    pathItems: {
      A: {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: text },
          { name: 'q', in: 'query', schema: text },
        ],
        post: {
          parameters: [
            { name: 'q', in: 'query', style: 'pipeDelimited', schema: { type: 'array', items: text } },
            { name: 'Accept', in: 'header', schema: text },
            { $ref: '#/components/parameters/Filter' },
          ],
          requestBody: { $ref: '#/components/requestBodies/A' },
          responses: { '204': { description: 'Done' }, '401': { $ref: '#/components/responses/Refused' } },
        },
      },
    },
    parameters: { Filter: { name: 'filter', in: 'query', ...json(text) } },
    requestBodies: { A: { required: true, ...json(text) } },
    responses: {
      Refused: {
        headers: { 'WWW-Authenticate': { required: true, schema: text }, 'Content-Type': { schema: text } },
        content: { 'application/json': { schema: text, examples: { no: { value: 'no' } } } },
      },
    },
  },
});
const [postA, readB] = operations;

test('operations are listed from the paths, and named by operationId or by method and path', () => {
  expect(operations.map(({ id, method, path }) => [id, method, path])).toEqual([
    ['postAById', 'POST', '/a/{id}'],
    ['readB', 'GET', '/b'],
  ]);
});

test('parameters of the operation override parameters of the path, and each has its style', () => {
  expect(
    postA?.parameters.map((each) => [
      each.in,
      each.name,
      each.style,
      each.explode,
      each.isRequired,
      each.isJson,
    ]),
  ).toEqual([
    ['path', 'id', 'simple', false, true, false],
    ['query', 'q', 'pipeDelimited', false, false, false],
    ['query', 'filter', 'form', true, false, true],
  ]);
});

test('security is inherited, unless the operation has its own', () => {
  const named = (operation = postA) => operation?.security.map((schemes) => schemes.map(({ type }) => type));
  expect(named()).toEqual([['bearer', 'apiKey'], ['bearer']]);
  expect(named(readB)).toEqual([]);
});

test('bodies and responses are looked up, and everything knows its place', () => {
  expect(postA?.body).toMatchObject({
    isRequired: true,
    contents: [{ mediaType: 'application/json', kind: 'json', schema: text }],
    at: '/components/requestBodies/A',
  });
  expect([...(postA?.replies.keys() ?? [])]).toEqual(['204', '401']);
  expect(postA?.replies.get('401')).toMatchObject({
    headers: [{ name: 'WWW-Authenticate', isRequired: true }],
    contents: [{ schema: text, examples: { no: 'no' } }],
    at: '/components/responses/Refused',
  });
  expect([...(readB?.replies.keys() ?? [])]).toEqual(['4XX', 'default']);
});

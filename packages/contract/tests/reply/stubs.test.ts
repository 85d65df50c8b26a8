import { stub } from '@trellis/contract';
import { contractOf, documentOf, int64, jsonBody, object, ref, text } from '../support/documents.ts';
import { read, serve } from '../support/serve.ts';

/** Returns the reply of a stub. Expects that the service has logged no error. */
const sentFor = async (responses: object, components: object = {}) => {
  const paths = { '/things': { get: { operationId: 'readThings', responses } } };
  const document = await documentOf({ paths, components });
  const { send, errors } = await serve(document, { readThings: stub }, { answerStubs: true });
  const reply = await send('/things');
  expect(errors).toEqual([]);
  return { status: reply.status, headers: reply.headers, payload: await reply.text() };
};

const json = (schema: unknown, more: object = {}) => ({
  description: '',
  content: { 'application/json': { schema, ...more } },
});
/** The body that a stub makes from a schema. */
const bodyFor = async (schema: unknown, schemas: object = {}) => {
  const { payload } = await sentFor({ 200: json(schema) }, { schemas });
  return JSON.parse(payload);
};

const TREE = {
  type: 'object',
  required: ['name', 'next'],
  properties: {
    name: { type: 'string' },
    next: { oneOf: [{ type: 'null' }, ref('Tree')] },
    others: { type: 'array', items: ref('Tree') },
  },
};

test.each<[what: string, schema: unknown, body: unknown]>([
  ['a text', { type: 'string' }, 'text'],
  [
    'a member that is required and not described',
    { type: 'object', required: ['id', 'name'], properties: { name: { type: 'string' } } },
    { name: 'text', id: null },
  ],
  ['a long text', { type: 'string', minLength: 6 }, 'text..'],
  ['a short text', { type: 'string', maxLength: 2 }, 'te'],
  ['an integer above a bound', { type: 'integer', exclusiveMinimum: 7 }, 8],
  ['an integer below a bound', { type: 'integer', maximum: -3 }, -3],
  ['a multiple', { type: 'number', minimum: 3.2, multipleOf: 0.5 }, 3.5],
  ['an int64', { type: 'integer', format: 'int64' }, 0],
  ['a value that may be null', { type: ['null', 'boolean'] }, true],
  ['a constant', { const: { a: 1 } }, { a: 1 }],
  ['an enum', { enum: ['b', 'a'] }, 'b'],
  ['a default', { type: 'integer', default: 5 }, 5],
  ['an example of the schema', { type: 'integer', examples: [9, 8] }, 9],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'boolean' }, { const: 2 }], items: false }, [true, 2]],
  [
    'different items',
    { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true },
    ['text', 'text 2'],
  ],
  ['an array of nothing', { type: 'array', items: { type: 'string' }, maxItems: 0 }, []],
  ['all parts of an allOf', { allOf: [{ properties: { a: { const: 1 } } }, { required: ['a'] }] }, { a: 1 }],
  ['the first of several', { anyOf: [{ const: 1 }, { const: 2 }] }, 1],
  ['a map', { type: 'object', minProperties: 1, additionalProperties: { const: 3 } }, { member1: 3 }],
  ['a member without a schema', { type: 'object', required: ['any'] }, { any: null }],
])('a stub makes %s', async (_what, schema, body) => {
  expect(await bodyFor(schema)).toEqual(body);
});

test.each([
  'date-time',
  'date',
  'time',
  'duration',
  'uuid',
  'email',
  'uri',
  'uri-reference',
  'hostname',
  'ipv4',
  'ipv6',
  'byte',
  'password',
])('a stub makes a text of format %s that the contract accepts', async (format) => {
  expect(await bodyFor({ type: 'string', format })).not.toBe('');
});

test('a stub of a schema that holds itself comes to an end', async () => {
  expect(await bodyFor(ref('Tree'), { Tree: TREE })).toEqual({
    name: 'text',
    next: null,
    others: [{ name: 'text', next: null, others: [] }],
  });
});

test('a stub sets the discriminator of its schema', async () => {
  const shape = (name: string) => ({
    type: 'object',
    required: ['kind', name],
    properties: { kind: { type: 'string' }, [name]: { type: 'integer' } },
  });
  const oneOf = [ref('Circle'), ref('Square')];
  const schemas = { Circle: shape('radius'), Square: shape('side') };
  const discriminator = { propertyName: 'kind' };
  expect(await bodyFor({ oneOf, discriminator }, schemas)).toEqual({ kind: 'Circle', radius: 0 });
  const mapping = { round: '#/components/schemas/Circle' };
  expect(await bodyFor({ oneOf, discriminator: { ...discriminator, mapping } }, schemas)).toEqual({
    kind: 'round',
    radius: 0,
  });
});

test('a stub uses the constant of its schema as the discriminator, if there is one', async () => {
  const Circle = { type: 'object', required: ['kind'], properties: { kind: { const: 'circle' } } };
  const oneOf = [ref('Circle'), { type: 'null' }];
  expect(await bodyFor({ oneOf, discriminator: { propertyName: 'kind' } }, { Circle })).toEqual({
    kind: 'circle',
  });
});

test('the example of the contract comes before anything that could be made up', async () => {
  const examples = { lamp: { $ref: '#/components/examples/Lamp' } };
  const sent = await sentFor(
    { 200: json({ type: 'string' }, { examples }) },
    { examples: { Lamp: { value: 'Lamp' } } },
  );
  expect(sent.payload).toBe('"Lamp"');
  const { payload } = await sentFor({ 200: json({ type: 'string' }, { example: 'Vase' }) });
  expect(payload).toBe('"Vase"');
});

test.each<[what: string, responses: object, status: number]>([
  ['a success before a failure', { 400: json({}), 204: { description: '' } }, 204],
  ['the lowest success', { 202: json({}), 201: json({}) }, 201],
  ['a range', { '2XX': json({}), 404: json({}) }, 200],
  ['the default', { default: json({}), 404: json({}) }, 200],
  ['a redirection where there is nothing else', { 303: { description: '' } }, 303],
])('a stub answers with %s', async (_what, responses, status) => {
  expect((await sentFor(responses)).status).toBe(status);
});

test('a stub sends the declared headers, and is marked as a stub', async () => {
  const headers = { 'X-Count': { required: true, schema: { type: 'integer', minimum: 4 } } };
  const sent = await sentFor({ 200: { description: '', headers } });
  expect(sent.headers.get('x-count')).toBe('4');
  expect(sent.headers.get('x-stub')).toBe('readThings');
});

/** Posts to an operation that is guarded, takes a thing and is not written yet. */
const postThing = async (answerStubs: boolean, body: string, token = 'right') => {
  const thing = object({ id: int64, name: text }, { required: ['id', 'name'] });
  const post = { operationId: 'createThing', requestBody: jsonBody(thing), responses: { 200: json(thing) } };
  const document = await documentOf({
    paths: { '/things': { post } },
    components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
    security: [{ bearerAuth: [] }],
  });
  const authenticate = (sent: string) => (sent === 'right' ? { name: 'tests', scopes: [] } : undefined);
  const authenticators = { bearerAuth: { type: 'bearer', authenticate } } as const;
  const { send } = await serve(document, { createThing: stub }, { answerStubs, authenticators });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return send('/things', { method: 'POST', headers, body });
};

test('an operation that is not written yet is guarded and validated, and answers with an example', async () => {
  const reply = await postThing(true, '{"id":1,"name":"Lamp"}');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-stub')).toBe('createThing');
  expect(await reply.json()).toEqual({ id: 0, name: 'text' });
  expect((await postThing(true, '{"id":1}')).status).toBe(400);
  expect((await postThing(true, '{}', 'other')).status).toBe(401);
});

test('an operation that is not written yet answers 501 in production', async () => {
  expect(await read(postThing(false, '{"id":1,"name":"Lamp"}'))).toEqual({
    status: 501,
    body: { error: 50101, message: expect.any(String) },
  });
});

test('an example in another file is found, and references in its value are data', async () => {
  const answers = "responses: { '200': { $ref: './replies.yaml#/reply' } }";
  const { document } = await contractOf({
    'openapi.yaml': `{ openapi: 3.1.0, info: {}, paths: { /things: { get: { ${answers} } } } }`,
    'replies.yaml': [
      "reply: { content: { application/json: { examples: { one: { $ref: '#/examples/two' } } } } }",
      "examples: { two: { $ref: './examples.yaml#/three' } }",
    ].join('\n'),
    'examples.yaml': "three: { value: { $ref: './data.yaml', examples: { a: { $ref: './more.yaml' } } } }",
  });
  const { send } = await serve(document, { getThings: stub }, { answerStubs: true });
  expect(await (await send('/things')).json()).toEqual({
    $ref: './data.yaml',
    examples: { a: { $ref: './more.yaml' } },
  });
});

test('a body that a stub makes up ends paging, where the schema allows it', async () => {
  const page = {
    type: 'object',
    required: ['data', 'hasMore', 'cursor', 'next_page', 'next'],
    properties: {
      data: { type: 'array', items: { type: 'object', properties: { next: text } } },
      hasMore: { type: 'boolean' },
      has_more: { type: 'boolean', example: true },
      more: { const: true },
      next_cursor: { type: ['string', 'null'], examples: ['abc'] },
      nextPageUri: { type: 'string', format: 'uri' },
      cursor: text,
      next_page: { type: 'integer', example: 2 },
      next: { type: 'object', required: ['href'], properties: { href: text, next: text } },
      paging: {
        type: 'object',
        properties: { next: { type: ['object', 'null'] }, total: { type: 'integer' } },
      },
    },
  };
  expect(await bodyFor(page)).toEqual({
    data: [{ next: 'text' }],
    hasMore: false,
    has_more: false,
    more: true,
    next_cursor: null,
    cursor: '',
    next_page: 2,
    next: { href: 'text' },
    paging: { next: null, total: 0 },
  });
  const example = { ...(await bodyFor(page)), hasMore: true, cursor: 'x' };
  const { payload } = await sentFor({ 200: json(page, { example }) });
  expect(JSON.parse(payload)).toEqual(example);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { loadDocument } from '../../../openapi/src/files/load.ts';
import { createStaticTokens } from '../../../server/src/auth/static-tokens.ts';
import { serveDocument } from '../../../server/tests/support/serve.ts';
import { post, THINGS_FILE, TOKEN } from '../../../server/tests/support/service.ts';
import { stub } from '../../src/reply/stub.ts';
import { documentFactory } from '../things.ts';

const { newDocument } = documentFactory();
const makeFolder = temporaryFolders();

/** Returns the reply of a stub, over real HTTP. Expects that the service has logged no error. */
const askFor = async (operation: object, { components = {}, method = 'get', accept = '' } = {}) => {
  const service = await serveDocument({
    document: await newDocument({
      paths: { '/things': { [method]: { operationId: 'readThings', ...operation } } },
      components,
    }),
    handlers: { readThings: stub },
    checkReplies: true,
    answerStubs: true,
  });
  const reply = await fetch(`${service.url}/things`, {
    method: method.toUpperCase(),
    headers: accept === '' ? {} : { accept },
    redirect: 'manual',
  });
  const payload = Buffer.from(await reply.arrayBuffer());
  await service.close();
  expect(service.logged).toEqual([]);
  return { status: reply.status, headers: reply.headers, payload };
};

const sentFor = (responses: object, components: object = {}) => askFor({ responses }, { components });

const json = (schema: unknown, more: object = {}) => ({
  description: '',
  content: { 'application/json': { schema, ...more } },
});
/** The body that a stub makes from a schema. */
const bodyFor = async (schema: unknown, schemas: object = {}) => {
  const { payload } = await sentFor({ 200: json(schema) }, { schemas });
  return JSON.parse(String(payload));
};

const TREE = {
  type: 'object',
  required: ['name', 'next'],
  properties: {
    name: { type: 'string' },
    next: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Tree' }] },
    others: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
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
  expect(await bodyFor({ $ref: '#/components/schemas/Tree' }, { Tree: TREE })).toEqual({
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
  const oneOf = [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }];
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
  const oneOf = [{ $ref: '#/components/schemas/Circle' }, { type: 'null' }];
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
  expect(String(sent.payload)).toBe('"Lamp"');
  const { payload } = await sentFor({ 200: json({ type: 'string' }, { example: 'Vase' }) });
  expect(String(payload)).toBe('"Vase"');
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

/** The test service, with its handler not written yet. */
const serveStub = async (answerStubs: boolean) =>
  serveDocument({
    document: await loadDocument(THINGS_FILE),
    handlers: { createThing: stub },
    authenticators: { bearerAuth: createStaticTokens([{ name: 'tests', token: TOKEN }]) },
    checkReplies: true,
    answerStubs,
  });

test('an operation that is not written yet is guarded and validated, and answers with an example', async () => {
  const service = await serveStub(true);
  const reply = await post(service, '{"id":1,"name":"Lamp"}');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-stub')).toBe('createThing');
  expect(await reply.json()).toEqual({ name: expect.any(String), tag: expect.any(String) });
  expect((await post(service, '{"id":1}')).status).toBe(400);
  expect((await post(service, '{}', { authorization: 'Bearer other' })).status).toBe(401);
  await service.close();
});

test('an operation that is not written yet answers 501 in production', async () => {
  const service = await serveStub(false);
  const reply = await post(service, '{"id":1,"name":"Lamp"}');
  expect(reply.status).toBe(501);
  expect(await reply.json()).toEqual({ error: 50101, message: expect.any(String) });
  await service.close();
});

test('an example in another file is found, and references in its value are data', async () => {
  const folder = await makeFolder();
  const answers = "responses: { '200': { $ref: './replies.yaml#/reply' } }";
  const files = {
    'openapi.yaml': `{ openapi: 3.1.0, info: {}, paths: { /things: { get: { ${answers} } } } }`,
    'replies.yaml': [
      "reply: { content: { application/json: { examples: { one: { $ref: '#/examples/two' } } } } }",
      "examples: { two: { $ref: './examples.yaml#/three' } }",
    ].join('\n'),
    'examples.yaml': "three: { value: { $ref: './data.yaml', examples: { a: { $ref: './more.yaml' } } } }",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const document = await loadDocument(join(folder, 'openapi.yaml'));
  const service = await serveDocument({ document, handlers: { getThings: stub }, answerStubs: true });
  const reply = await fetch(`${service.url}/things`);
  await service.close();
  expect(await reply.json()).toEqual({
    $ref: './data.yaml',
    examples: { a: { $ref: './more.yaml' } },
  });
});

test('a body that a stub makes up ends paging, where the schema allows it', async () => {
  const text = { type: 'string' };
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
  expect(JSON.parse(String(payload))).toEqual(example);
});

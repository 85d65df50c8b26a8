import { int64, json, ref } from '../support/documents.ts';
import { type Reply, serveOperation } from '../support/operation.ts';

const THING = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, size: int64 } };

/** Writes the replies of an operation with these responses. */
const encoderFor = async (
  responses: object,
  { schemas = {}, ...options }: { schemas?: object; checkReplies?: boolean; method?: string } = {},
) => {
  const { reply } = await serveOperation(
    { responses },
    { method: 'get', document: { components: { schemas } }, ...options },
  );
  return async (made: Reply) => {
    const response = await reply(made);
    const { 'x-request-id': _, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, payload: await response.text(), headers };
  };
};

test.each<[what: string, schema: unknown, body: unknown, text: string]>([
  [
    'a bigint is a bare integer',
    THING,
    { name: 'a', size: 9007199254740993n },
    '{"name":"a","size":9007199254740993}',
  ],
  ['undeclared members are not sent', THING, { id: 7n, name: 'a' }, '{"name":"a"}'],
  ['undefined members are not sent', THING, { name: 'a', size: undefined }, '{"name":"a"}'],
  ['half of an emoji is escaped', THING, { name: 'a🌱'.slice(0, 2) }, '{"name":"a\\ud83c"}'],
  [
    'items are written by their schema',
    { type: 'array', items: THING },
    [{ name: 'a', id: 1 }, { name: 'b' }],
    '[{"name":"a"},{"name":"b"}]',
  ],
  [
    'items have their own places',
    { prefixItems: [THING], items: int64 },
    [{ name: 'a', id: 1 }, 2n],
    '[{"name":"a"},2]',
  ],
  [
    'all parts of an allOf count',
    { allOf: [THING, { properties: { tag: {} } }] },
    { tag: [1n], name: 'a', x: 1 },
    '{"name":"a","tag":[1]}',
  ],
  [
    'an open object keeps all',
    { ...THING, additionalProperties: true },
    { name: 'a', x: 2n },
    '{"name":"a","x":2}',
  ],
  [
    'an object that names nothing and is closed keeps nothing',
    { type: 'object', additionalProperties: false },
    { id: 7n },
    '{}',
  ],
  [
    'names may be patterns, and open nothing to others',
    { properties: { name: {} }, patternProperties: { '^x-': THING } },
    { id: 7n, 'x-a': { name: 'a', id: 7n }, name: 'b' },
    '{"name":"b","x-a":{"name":"a"}}',
  ],
  [
    'required members are sent, described or not, and allow no other members',
    { ...THING, required: ['id', 'name'] },
    { id: 9007199254740993n, name: 'a', secret: 1 },
    '{"name":"a","id":9007199254740993}',
  ],
  [
    'members that dependentRequired names are sent',
    { ...THING, dependentRequired: { size: ['unit'] } },
    { name: 'a', size: 1n, unit: 'm', secret: 1 },
    '{"name":"a","size":1,"unit":"m"}',
  ],
  [
    'a union with a branch for any object keeps all',
    { anyOf: [THING, { type: 'object', required: ['kind'] }] },
    { kind: 1, of: { a: 1 } },
    '{"kind":1,"of":{"a":1}}',
  ],
  [
    'branches that only require something open nothing',
    { ...THING, anyOf: [{ required: ['name'] }, { required: ['size'] }] },
    { name: 'a', secret: 1 },
    '{"name":"a"}',
  ],
  [
    'a member is written by all schemas that apply to it',
    {
      properties: { 'x-a': THING },
      patternProperties: { '^x-': { required: ['id'] } },
      allOf: [{ additionalProperties: { properties: { tag: {} } } }],
    },
    { 'x-a': { name: 'a', id: 1, tag: 2, secret: 3 } },
    '{"x-a":{"name":"a","tag":2,"id":1}}',
  ],
  ['an object that names nothing keeps all', { type: 'object' }, { a: { b: 1n } }, '{"a":{"b":1}}'],
  [
    'a map is written by the schema of its values',
    { additionalProperties: THING },
    { a: { name: 'x', id: 1 } },
    '{"a":{"name":"x"}}',
  ],
  ['a date is written as JSON writes it', { type: 'string' }, new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['a member called toJSON opens nothing', THING, { name: 'a', toJSON: true, id: 7n }, '{"name":"a"}'],
  [
    'the result of toJSON is written by the schema too',
    { type: 'array', items: THING },
    [{ toJSON: () => ({ name: 'a', id: 7n, size: 1n }) }],
    '[{"name":"a","size":1}]',
  ],
  ['a text is escaped', { type: 'string' }, '"\u2028\n', JSON.stringify('"\u2028\n')],
  ['null is null', { type: ['string', 'null'] }, null, 'null'],
])('%s', async (_what, schema, body, text) => {
  const encode = await encoderFor({ 200: json(schema) });
  expect(await encode({ status: 200, body })).toEqual({
    status: 200,
    payload: text,
    headers: { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` },
  });
});

test('a schema that holds itself is written all the way down', async () => {
  const tree = { type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' }, value: int64 } };
  const encode = await encoderFor(
    { 200: json({ $ref: '#/components/schemas/Tree' }) },
    { schemas: { Tree: tree } },
  );
  const body = { left: { left: { value: 1n, x: 0 }, x: 0 }, x: 0 };
  expect((await encode({ status: 200, body })).payload).toBe('{"left":{"left":{"value":1}}}');
});

test('a status is written by its own response, else its range, else the default', async () => {
  const named = (name: string) => json({ type: 'object', properties: { [name]: {} } });
  const encode = await encoderFor({ 404: named('own'), '4XX': named('range'), default: named('fallback') });
  const body = { own: 1, range: 1, fallback: 1 };
  const payloads: string[] = [];
  for (const status of [404, 418, 500]) payloads.push((await encode({ status, body })).payload);
  expect(payloads).toEqual(['{"own":1}', '{"range":1}', '{"fallback":1}']);
});

test('text and bytes are sent as they are, and nothing where nothing is declared', async () => {
  const as = (type: string) => ({ description: '', content: { [type]: {} } });
  const encode = await encoderFor({ 200: as('text/csv'), 201: as('image/png'), 204: { description: '' } });
  expect(await encode({ status: 200, body: 'a,b' })).toMatchObject({
    payload: 'a,b',
    headers: { 'content-type': 'text/csv' },
  });
  expect(await encode({ status: 201, body: Uint8Array.of(1, 2) })).toMatchObject({
    payload: '\u0001\u0002',
    headers: { 'content-type': 'image/png' },
  });
  expect(await encode({ status: 204 })).toEqual({ status: 204, payload: '', headers: {} });
});

test('a text with a schema is validated, and sent verbatim', async () => {
  const csv = { type: 'string', pattern: '^name' };
  const encode = await encoderFor({
    200: { description: '', content: { 'text/csv': { schema: csv } } },
    201: { description: '', content: { 'text/plain': { schema: int64 } } },
  });
  expect((await encode({ status: 200, body: 'name,size\n' })).payload).toBe('name,size\n');
  expect((await encode({ status: 201, body: 9007199254740993n })).payload).toBe('9007199254740993');
  await expect(encode({ status: 200, body: 'size' })).rejects.toThrow(
    'status 200: body must match pattern "^name"',
  );
});

test('every part of an allOf or a union applies to a member', async () => {
  const part = (name: string) => ({ properties: { of: { properties: { [name]: {} } } } });
  for (const keyword of ['allOf', 'anyOf']) {
    const encode = await encoderFor({ 200: json({ [keyword]: [part('a'), part('b')] }) });
    expect((await encode({ status: 200, body: { of: { a: 1, b: 2, c: 3 } } })).payload).toBe(
      '{"of":{"a":1,"b":2}}',
    );
  }
});

const PETS = {
  Base: { type: 'object', properties: { kind: { type: 'string' } } },
  Cat: { allOf: [ref('Base'), { properties: { lives: int64, of: ref('Pet') } }] },
  Dog: { allOf: [ref('Base'), { properties: { chip: int64 } }] },
  Pet: { oneOf: [ref('Cat'), ref('Dog'), { type: 'null' }], discriminator: { propertyName: 'kind' } },
};

test.each<[what: string, body: unknown, text: string]>([
  ['in itself', { kind: 'Cat', lives: 9n, chip: 7n, id: 1n }, '{"kind":"Cat","lives":9}'],
  ['in the other', { kind: 'Dog', lives: 9n, chip: 7n, id: 1n }, '{"kind":"Dog","chip":7}'],
  [
    'in a nested value',
    { kind: 'Cat', chip: 7n, of: { kind: 'Dog', lives: 9n, chip: 7n } },
    '{"kind":"Cat","of":{"kind":"Dog","chip":7}}',
  ],
  ['in none', null, 'null'],
])('only the branch that a discriminator names applies, %s', async (_what, body, text) => {
  const encode = await encoderFor({ 200: json(ref('Pet')) }, { schemas: PETS });
  expect((await encode({ status: 200, body })).payload).toBe(text);
});

test('if a discriminator names no branch, members that no branch declares are not sent either', async () => {
  const encode = await encoderFor({ 200: json(ref('Pet')) }, { schemas: PETS, checkReplies: false });
  expect((await encode({ status: 200, body: { kind: 'Cow', lives: 9n, id: 1n } })).payload).toBe(
    '{"kind":"Cow","lives":9}',
  );
});

test.each<[what: string, reply: Reply, why: string]>([
  ['no body', { status: 200 }, 'status 200 wants a body'],
  ['a status that is not declared', { status: 418, body: { name: 'a' } }, 'status 418 is not declared'],
  ['a member that is missing', { status: 200, body: {} }, 'status 200: body.name is required'],
  ['a member of another type', { status: 200, body: { name: 1 } }, 'status 200: body.name must be a string'],
  [
    'an integer past int64',
    { status: 200, body: { name: 'a', size: 2n ** 63n } },
    'status 200: body.size must be an int64',
  ],
  ['a header that is missing', { status: 201, body: { name: 'a' } }, 'status 201 wants the header Location'],
])('%s breaks the contract, and the error gives the reason', async (_what, reply, why) => {
  const headers = {
    Location: { required: true, schema: { type: 'string' } },
    ETag: { schema: { type: 'string' } },
  };
  const encode = await encoderFor({ 200: json(THING), 201: json(THING, { headers }) });
  await expect(encode(reply)).rejects.toThrow(new Error(`the reply breaks the contract: ${why}`));
});

test('in production replies are not checked, but an undeclared status still has no shape', async () => {
  const encode = await encoderFor({ 200: json(THING) }, { checkReplies: false });
  expect((await encode({ status: 200, body: {} })).payload).toBe('{}');
  await expect(encode({ status: 418 })).rejects.toThrow('status 418 is not declared');
});

test('headers are written in style simple, or as JSON if they are declared by content', async () => {
  const headers = {
    'X-List': { schema: { type: 'array' } },
    'X-Point': { schema: { type: 'object' } },
    'X-Exploded': { schema: { type: 'object' }, explode: true },
    'X-Json': { content: { 'application/json': { schema: {} } } },
  };
  const encode = await encoderFor({ 204: { description: '', headers } });
  const point = { x: 1n, y: 2 };
  const sent = await encode({
    status: 204,
    headers: { 'x-list': ['a', 2n], 'X-Point': point, 'X-Exploded': point, 'X-Json': point },
  });
  expect(sent.headers).toMatchObject({
    'x-list': 'a,2',
    'x-point': 'x,1,y,2',
    'x-exploded': 'x=1,y=2',
    'x-json': '{"x":1,"y":2}',
  });
});

test('a body is written by the Content-Type of its handler, whatever the case of that name', async () => {
  const content = {
    'application/json': { schema: THING },
    'text/csv': { schema: { type: 'string' } },
    'image/*': {},
    '*/*': { schema: THING },
  };
  const encode = await encoderFor({ 200: { description: '', content } });
  const send = (body: unknown, contentType?: string) =>
    encode({ status: 200, body, headers: { 'content-type': contentType } });
  const thing = { name: 'a', id: 7n };
  expect(await send(thing)).toMatchObject({
    payload: '{"name":"a"}',
    headers: { 'content-type': 'application/json' },
  });
  expect(await send('name\na', 'text/csv; charset=utf-8')).toEqual({
    status: 200,
    payload: 'name\na',
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-length': '6' },
  });
  expect(await send(Buffer.of(1), 'image/png')).toMatchObject({ headers: { 'content-type': 'image/png' } });
  expect(await send(thing, 'application/hal+json')).toMatchObject({
    payload: '{"name":"a"}',
    headers: { 'content-type': 'application/hal+json' },
  });
});

test.each([true, false])(
  'a media type that is not declared has no shape, checked or not: %s',
  async (checkReplies) => {
    const encode = await encoderFor({ 200: json(THING) }, { checkReplies });
    await expect(
      encode({ status: 200, body: 'a', headers: { 'Content-Type': 'text/html' } }),
    ).rejects.toThrow(
      new Error('the reply breaks the contract: text/html is not declared, but application/json'),
    );
  },
);

test('a range is no Content-Type', async () => {
  const encode = await encoderFor({ 200: { description: '', content: { 'image/*': {} } } });
  expect((await encode({ status: 200, body: Buffer.of(1, 2) })).headers).toEqual({ 'content-length': '2' });
});

test('Content-Length is the length of the body, and is sent once', async () => {
  const encode = await encoderFor({ 200: json(THING) });
  const headers = { 'content-length': 7, 'X-Not-There': undefined };
  expect((await encode({ status: 200, body: { name: 'a' }, headers })).headers).toEqual({
    'content-type': 'application/json',
    'content-length': '12',
  });
});

test('a required header that is undefined is missing', async () => {
  const headers = { Location: { required: true, schema: { type: 'string' } } };
  const encode = await encoderFor({ 201: json(THING, { headers }) });
  await expect(
    encode({ status: 201, body: { name: 'a' }, headers: { Location: undefined } }),
  ).rejects.toThrow('status 201 wants the header Location');
});

test('a HEAD or a 304 without a body has no Content-Length, unless the handler gives it', async () => {
  const responses = { 200: json(THING), 304: { description: '' } };
  const [get, head] = [await encoderFor(responses), await encoderFor(responses, { method: 'head' })];
  const known = { 'content-length': '41' };
  expect((await get({ status: 304 })).headers).toEqual({});
  expect((await get({ status: 304, headers: known })).headers).toEqual({ 'content-length': '41' });
  expect((await head({ status: 200 })).headers).toEqual({});
  expect((await head({ status: 200, headers: known })).headers).toEqual({ 'content-length': '41' });
  expect((await head({ status: 200, body: { name: 'a' } })).headers).toEqual({
    'content-type': 'application/json',
    'content-length': '12',
  });
});

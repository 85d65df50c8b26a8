import { int64, json, ref, text, when } from '../support/documents.ts';
import { decoderFor, serveOperation } from '../support/operation.ts';

/** One schema for both ways: the id is the store's, the secret is the client's. */
const ACCOUNT = {
  type: 'object',
  required: ['id', 'name', 'secret'],
  properties: { id: { ...int64, readOnly: true }, name: text, secret: { ...text, writeOnly: true } },
  additionalProperties: false,
};

/** An operation that takes and gives values of a schema. */
const operationOf = async (schema: unknown, schemas: object = {}) => {
  const operation = { requestBody: { content: json(schema).content }, responses: { 200: json(schema) } };
  const { receive, reply } = await serveOperation(operation, { document: { components: { schemas } } });
  const headers = { 'content-type': 'application/json' };
  return {
    decode: async (body: string) => (await receive('/things', { headers, body })).body,
    encode: async (body: unknown) => (await reply({ status: 200, body })).text(),
  };
};

test('readOnly members are not required in a request, and do not reach the handler', async () => {
  const { decode } = await operationOf(ACCOUNT);
  expect(await decode('{"name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
  expect(await decode('{"id":7,"name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
  expect(await decode('{"id":"of any type","name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
});

test.each([
  ['a pattern', { patternProperties: { '^s': { writeOnly: true } }, additionalProperties: true }, '{"a":1}'],
  ['whatever has no name', { properties: { a: {} }, additionalProperties: { writeOnly: true } }, '{"a":1}'],
  [
    'a pattern beside a name',
    { properties: { a: {}, s1: {} }, patternProperties: { '^s': { writeOnly: true } } },
    '{"a":1}',
  ],
])('members that %s marks writeOnly are not sent', async (_what, schema, sent) => {
  const { encode } = await operationOf({ type: 'object', ...schema });
  expect(await encode({ a: 1, s1: 'secret' })).toBe(sent);
});

test('a member that one branch marks writeOnly is neither sent nor required by any branch', async () => {
  const branch = (tag: string, secret: object) => ({
    required: ['kind', 'secret'],
    properties: { kind: { const: tag }, secret },
  });
  const { encode } = await operationOf({
    oneOf: [branch('a', { ...text, writeOnly: true }), branch('b', text)],
  });
  expect(await encode({ kind: 'b', secret: 'x' })).toBe('{"kind":"b"}');
});

test.each([
  ['not', { not: { required: ['id'] } }, '{"name":"a"}', '{"id":1,"name":"a"}'],
  ['if', when({ required: ['id'] }, { required: ['tag'] }), '{"name":"a"}', '{"id":1,"name":"a"}'],
])('%s still checks for readOnly members', async (_keyword, question, right, wrong) => {
  const { decode } = await operationOf({
    type: 'object',
    properties: { id: { ...int64, readOnly: true }, name: text, tag: text },
    ...question,
  });
  expect(await decode(right)).toEqual({ name: 'a' });
  await expect(decode(wrong)).rejects.toThrow('body');
});

test('a contract with many branches compiles in time, whichever members are readOnly', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `Part${index}`);
  const any = { oneOf: names.map(ref) };
  const parts = names.map((name) => [
    name,
    { properties: { id: { ...int64, readOnly: true }, next: ref('Any') } },
  ]);
  const started = performance.now();
  await operationOf(ref('Any'), { Any: any, ...Object.fromEntries(parts) });
  expect(performance.now() - started).toBeLessThan(2000);
});

test.each(['additionalProperties', 'unevaluatedProperties'])(
  'a schema that is closed by %s still takes it, and nothing else',
  async (keyword) => {
    const { additionalProperties, ...open } = ACCOUNT;
    const { decode } = await operationOf({ ...open, [keyword]: additionalProperties });
    expect(await decode('{"id":7,"name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
    await expect(decode('{"name":"a","secret":"s","x":1}')).rejects.toThrow(
      new Error('body.x is not allowed'),
    );
  },
);

test('a reference into a readOnly member, or into a union with a discriminator, resolves to the original schema', async () => {
  const closed = { type: 'object', properties: { n: { type: 'integer' } }, unevaluatedProperties: false };
  const named = (tag: string) => ({
    type: 'object',
    required: ['tag'],
    properties: { tag: { const: tag }, n: { type: 'integer' } },
  });
  const schemas = {
    Holder: { type: 'object', properties: { made: { ...closed, readOnly: true } } },
    Union: { oneOf: [named('a'), named('b')], discriminator: { propertyName: 'tag' } },
  };
  const { decode } = await operationOf(
    {
      type: 'object',
      properties: {
        holder: ref('Holder'),
        inner: { $ref: '#/components/schemas/Holder/properties/made/properties/n' },
        rest: { type: 'array', items: { $ref: '#/components/schemas/Holder/properties/made' } },
        branch: { $ref: '#/components/schemas/Union/oneOf/1' },
        union: ref('Union'),
      },
    },
    schemas,
  );
  await expect(decode('{"inner":"x"}')).rejects.toThrow(new Error('body.inner must be an integer'));
  await expect(decode('{"branch":{"tag":"a"}}')).rejects.toThrow(new Error('body.branch.tag must be "b"'));
  await expect(decode('{"union":{"tag":"b","n":"x"}}')).rejects.toThrow(
    new Error('body.union.n must be an integer'),
  );
  await expect(decode('{"rest":[{"n":1},{"x":1}]}')).rejects.toThrow(
    new Error('body.rest[1].x is not allowed'),
  );
  expect(await decode('{"holder":{"made":{"x":1}},"branch":{"tag":"b"},"inner":1}')).toEqual({
    holder: {},
    branch: { tag: 'b' },
    inner: 1,
  });
});

test('writeOnly members are required in a request', async () => {
  const { decode } = await operationOf(ACCOUNT);
  await expect(decode('{"name":"a"}')).rejects.toThrow(new Error('body.secret is required'));
  await expect(decode('{"name":"a","secret":1}')).rejects.toThrow(new Error('body.secret must be a string'));
});

test('writeOnly members are not required in a reply, and are never sent', async () => {
  const { encode } = await operationOf(ACCOUNT);
  expect(await encode({ id: 7n, name: 'a' })).toBe('{"id":7,"name":"a"}');
  expect(await encode({ id: 7n, name: 'a', secret: 's' })).toBe('{"id":7,"name":"a"}');
  await expect(encode({ name: 'a' })).rejects.toThrow('body.id is required');
});

test.each<[where: string, schema: unknown, wrap: (account: string) => string]>([
  ['a list', { type: 'array', items: ref('Account') }, (account) => `[${account}]`],
  ['a member', { type: 'object', properties: { of: ref('Account') } }, (account) => `{"of":${account}}`],
  ['a map', { type: 'object', additionalProperties: ref('Account') }, (account) => `{"a":${account}}`],
  ['a pattern', { type: 'object', patternProperties: { '^a': ref('Account') } }, (one) => `{"a":${one}}`],
  ['a part', { allOf: [ref('Account'), { type: 'object' }] }, (account) => account],
  ['a branch', { oneOf: [{ type: 'null' }, ref('Account')] }, (account) => account],
  ['a consequence', when({ type: 'object' }, ref('Account')), (account) => account],
  ['a rest', { type: 'object', unevaluatedProperties: ref('Account') }, (one) => `{"a":${one}}`],
])('both hold in %s', async (_where, schema, wrap) => {
  const { decode, encode } = await operationOf(schema, { Account: ACCOUNT });
  const [received, replied] = ['{"name":"a","secret":"s"}', '{"id":7,"name":"a"}'].map(wrap);
  const whole = wrap('{"id":7,"name":"a","secret":"s"}');
  expect(JSON.stringify(await decode(whole))).toBe(received);
  expect(await encode(JSON.parse(whole))).toBe(replied);
});

test('a property is readOnly if its reference target or a part of its allOf is', async () => {
  const schema = {
    type: 'object',
    required: ['a', 'b', 'name'],
    properties: { a: ref('Id'), b: { allOf: [int64, { readOnly: true }] }, name: text },
  };
  const { decode } = await operationOf(schema, { Id: { ...int64, readOnly: true } });
  expect(await decode('{"a":1,"b":2,"name":"n"}')).toEqual({ name: 'n' });
});

test('a property is readOnly or writeOnly if a branch of its schema is', async () => {
  const orNull = (mark: object) => ({ anyOf: [{ ...text, ...mark }, { type: 'null' }] });
  const schema = {
    type: 'object',
    required: ['id', 'name', 'secret'],
    properties: { id: orNull({ readOnly: true }), name: text, secret: orNull({ writeOnly: true }) },
  };
  const { decode, encode } = await operationOf(schema);
  expect(await decode('{"name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
  expect(await decode('{"id":"i","name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
  expect(await encode({ id: 'i', name: 'a', secret: 's' })).toBe('{"id":"i","name":"a"}');
});

test.each(['oneOf', 'anyOf'])('branches of %s require members independently', async (keyword) => {
  const { required, properties } = ACCOUNT;
  const imported = {
    type: 'object',
    required: ['id', 'from'],
    properties: { id: int64, from: text },
    not: { required: ['name'] },
  };
  const { decode, encode } = await operationOf({
    [keyword]: [{ type: 'object', required, properties }, { allOf: [imported] }],
  });
  expect(await decode('{"name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
  expect(await decode('{"id":7,"from":"b"}')).toEqual({ id: 7n, from: 'b' });
  await expect(decode('{"from":"b"}')).rejects.toThrow('body.id is required');
  expect(await encode({ id: 7n, name: 'a', secret: 's' })).toBe('{"id":7,"name":"a"}');
});

test('then does not change which members else requires', async () => {
  const { decode } = await operationOf(
    when(
      { required: ['name'] },
      { required: ['id'], properties: { id: { ...int64, readOnly: true } } },
      { required: ['id'] },
    ),
  );
  expect(await decode('{"name":"a"}')).toEqual({ name: 'a' });
  await expect(decode('{}')).rejects.toThrow(new Error('body.id is required'));
});

test('dependentRequired does not require members that are left out', async () => {
  const { required: _none, ...schema } = ACCOUNT;
  const { decode, encode } = await operationOf({ ...schema, dependentRequired: { name: ['id', 'secret'] } });
  expect(await decode('{"name":"a","secret":"s"}')).toEqual({ name: 'a', secret: 's' });
  await expect(decode('{"name":"a"}')).rejects.toThrow(
    'must have property secret when property name is present',
  );
  expect(await encode({ id: 7n, name: 'a', secret: 's' })).toBe('{"id":7,"name":"a"}');
});

test('a readOnly member is not required, even if another part of the schema requires it', async () => {
  const { decode } = await operationOf({
    allOf: [{ properties: { id: { ...int64, readOnly: true } } }, { required: ['id', 'name'] }],
  });
  expect(await decode('{"id":1,"name":"n"}')).toEqual({ name: 'n' });
  await expect(decode('{"id":1}')).rejects.toThrow(new Error('body.name is required'));
});

test('a reference to the schema of a readOnly property resolves to that schema', async () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Account/properties/id' } };
  const id = { oneOf: [int64, { type: 'null' }], readOnly: true };
  const decode = await decoderFor(schema, { Account: { ...ACCOUNT, properties: { id } } });
  expect(await decode('[9007199254740993,null]')).toEqual([9007199254740993n, null]);
  await expect(decode('["x"]')).rejects.toThrow('body[0] must be an int64');
});

test('a property that is called readOnly is one like any other', async () => {
  const { decode } = await operationOf({ type: 'object', properties: { readOnly: { type: 'boolean' } } });
  expect(await decode('{"readOnly":true}')).toEqual({ readOnly: true });
});

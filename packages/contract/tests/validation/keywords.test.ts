import { jsonBody, ref, when } from '../support/documents.ts';
import { decoderFor, serveOperation } from '../support/operation.ts';

const NAMED = {
  Named: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  Key: { enum: ['a'] },
};

test.each<[keyword: string, schema: unknown, right: string, wrong: string, message: string | RegExp]>([
  ['const', { const: 'a' }, '"a"', '"b"', 'body must be "a"'],
  ['enum', { enum: ['a', null] }, 'null', '"b"', 'body must be one of ["a",null]'],
  ['type as a list', { type: ['string', 'null'] }, 'null', '1', 'body must be a string or null'],
  ['prefixItems', { prefixItems: [{ type: 'string' }] }, '["a",1]', '[1]', 'body[0] must be a string'],
  [
    'items: false',
    { prefixItems: [true], items: false },
    '[1]',
    '[1,2]',
    'body must not have more than 1 items',
  ],
  [
    'oneOf, of which two match',
    {
      oneOf: [{ required: ['id'] }, { properties: { id: { type: 'integer' } } }, ref('Named')],
    },
    '{"id":"b"}',
    '{"name":"a","id":"b"}',
    'body must match exactly one schema in oneOf, but matches oneOf[0] and oneOf[2] (Named)',
  ],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    '{"a":1}',
    '{"b":1}',
    'body.b is not allowed',
  ],
  [
    'unevaluatedProperties beside a condition, for a name that every object inherits',
    { ...when({ required: ['a'] }, { properties: { a: true } }), unevaluatedProperties: false },
    '{"a":1}',
    '{"toString":1}',
    'body.toString is not allowed',
  ],
  [
    'unevaluatedItems',
    { prefixItems: [true], contains: { const: 7 }, unevaluatedItems: false },
    '[1,7]',
    '[7,7,1]',
    'body must not have more than 2 items',
  ],
  [
    'additionalProperties',
    { additionalProperties: false },
    '{}',
    '{"odd name":1}',
    'body["odd name"] is not allowed',
  ],
  [
    'propertyNames',
    { propertyNames: { maxLength: 3 } },
    '{"abc":1}',
    '{"abcd":1}',
    /^body.abcd has a name that must not have more than 3 characters$/,
  ],
  [
    'propertyNames with a reference',
    { propertyNames: ref('Key') },
    '{"a":1}',
    '{"b":1}',
    /^body.b has a name that must be one of \["a"\]$/,
  ],
  ['a property that is false', { properties: { a: false } }, '{}', '{"a":1}', 'body.a is not allowed'],
  [
    'dependentRequired',
    { dependentRequired: { a: ['b'] } },
    '{"a":1,"b":1}',
    '{"a":1}',
    'body must have property b when property a is present',
  ],
  ['format', { type: 'string', format: 'date' }, '"2026-11-15"', '"2026-11-31"', 'body must be a date'],
  ['int32', { type: 'integer', format: 'int32' }, '2147483647', '2147483648', 'body must be an int32'],
  ['an int32 that is no integer', { type: 'integer', format: 'int32' }, '1', '1.5', 'body must be an int32'],
  ['minLength', { minLength: 2 }, '"🌱🌱"', '"🌱"', 'body must not have fewer than 2 characters'],
  ['exclusiveMinimum', { exclusiveMinimum: 0 }, '0.1', '0', 'body must be > 0'],
])('%s counts', async (_keyword, schema, right, wrong, message) => {
  const decode = await decoderFor(schema, NAMED);
  expect(await decode(right)).toEqual(JSON.parse(right));
  await expect(decode(wrong)).rejects.toThrow(message);
});

test.each(['type', 'format', 'enum', 'required', 'items', '$ref'])(
  'a reference counts below a property with the name of a keyword: %s',
  async (name) => {
    const holder = {
      Holder: { type: 'object', properties: { [name]: ref('Named') } },
    };
    const decode = await decoderFor(ref('Holder'), { ...NAMED, ...holder });
    const right = JSON.stringify({ [name]: { name: 'a' } });
    expect(await decode(right)).toEqual(JSON.parse(right));
    await expect(decode(JSON.stringify({ [name]: {} }))).rejects.toThrow(/name is required$/);
  },
);

test('a union of more branches than errors are counted refuses what none of them accepts', async () => {
  const union = { oneOf: Array.from({ length: 150 }, (_, index) => ({ const: index })) };
  const decode = await decoderFor({ anyOf: [ref('Union'), NAMED.Named] }, { Union: union });
  expect(await decode('149')).toEqual(149);
  await expect(decode('150')).rejects.toThrow(/^body must be 0; body must be 1; .*; and more$/);
});

/** Keywords that the service registers in Ajv, by their present and former names, and keywords of ajv-formats. */
const FOREIGN = [
  ...['int64', 'exactEnum', 'exactConst', 'exactMinimum', 'exactMaximum', 'exactExclusiveMinimum'],
  ...['exactExclusiveMaximum', 'exactMultipleOf', 'steps', 'leftOut', 'call', 'inline', 'unevaluated'],
].flatMap((name) => [name, `x-${name}`]);
const OF_AJV_FORMATS = ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'];

test.each([true, false, 7, '7', 'not a date', ['id'], [], { a: 1 }, null])(
  'a contract may have keywords of these names, which say nothing about values: %j',
  async (value) => {
    const odd = Object.fromEntries([...FOREIGN, ...OF_AJV_FORMATS].map((name) => [name, value]));
    const properties = {
      id: { type: 'integer', format: 'int64', ...odd },
      day: { type: 'string', format: 'date', ...odd },
    };
    const decode = await decoderFor({ ...odd, type: 'object', required: ['id'], properties });
    expect(await decode('{"id":1}')).toEqual({ id: 1n });
    await expect(decode('{}')).rejects.toThrow(new Error('body.id is required'));
    await expect(decode('{"id":1.5}')).rejects.toThrow(new Error('body.id must be an int64'));
  },
);

test.each<[where: string, schema: (sibling: object) => unknown, place: (value: string) => string]>([
  ['the body', (sibling) => ({ ...ref('Named'), ...sibling }), (value) => value],
  [
    'a member',
    (sibling) => ({ properties: { a: { ...ref('Named'), ...sibling } } }),
    (value) => `{"a":${value}}`,
  ],
])('siblings of the $ref of %s count', async (_where, schema, place) => {
  const decode = await decoderFor(schema({ required: ['tag'] }), NAMED);
  await expect(decode(place('{"name":"a"}'))).rejects.toThrow(/tag is required$/);
  await expect(decode(place('{"tag":"a"}'))).rejects.toThrow(/name is required$/);
  expect(await decode(place('{"name":"a","tag":"b"}'))).toBeDefined();
});

test.each(['toString', 'constructor', 'hasOwnProperty', '__proto__'])(
  'a member %s counts only where it was sent',
  async (name) => {
    const decode = await decoderFor({ required: [name], additionalProperties: { type: 'string' } });
    await expect(decode('{}')).rejects.toThrow(`body.${name} is required`);
    await expect(decode(`{"${name}":1}`)).rejects.toThrow(`body.${name} must be a string`);
    expect(await decode(`{"${name}":"a"}`)).toBeDefined();
  },
);

const sent = (body: string) => ({ headers: { 'content-type': 'application/json' }, body });

test('a body by reference, with a schema by reference, is found', async () => {
  const { receive } = await serveOperation(
    { requestBody: { $ref: '#/components/requestBodies/Thing' } },
    { document: { components: { requestBodies: { Thing: jsonBody(ref('Named')) }, schemas: NAMED } } },
  );
  await expect(receive('/things', sent('{}'))).rejects.toThrow('body.name is required');
  await expect(receive('/things')).rejects.toThrow('body is required');
});

test('an optional body may be missing, and is validated if it is sent', async () => {
  const { receive } = await serveOperation({
    requestBody: { ...jsonBody({ type: 'object' }), required: false },
  });
  expect((await receive('/things')).body).toBeUndefined();
  expect((await receive('/things', sent('{}'))).body).toEqual({});
  await expect(receive('/things', sent('1'))).rejects.toThrow('body must be an object');
});

test('an operation without a body takes none', async () => {
  const { receive } = await serveOperation({});
  expect((await receive('/things')).body).toBeUndefined();
  expect((await receive('/things', sent('{}'))).body).toBeUndefined();
});

test('of more than 20 violations the first 20 are listed, and the rest counted', async () => {
  const required = Array.from({ length: 23 }, (_, index) => `m${index}`);
  const decode = await decoderFor({ type: 'object', required });
  const listed = required.slice(0, 20).map((name) => `body.${name} is required`);
  await expect(decode('{}')).rejects.toThrow(new Error(`${listed.join('; ')}; and 3 more`));
  await expect(decode('{"m0":1,"m1":1,"m2":1}')).rejects.toThrow(/; body.m22 is required$/);
});

test('a body nested too deeply for a schema that holds itself is refused, not a failure', async () => {
  const decode = await decoderFor(ref('Tree'), {
    Tree: { type: 'array', items: ref('Tree') },
  });
  expect(await decode('[[[]]]')).toEqual([[[]]]);
  await expect(decode('['.repeat(40_000) + ']'.repeat(40_000))).rejects.toThrow('body is nested too deeply');
});

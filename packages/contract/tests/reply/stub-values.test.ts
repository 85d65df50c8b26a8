import { stub } from '@trellis/contract';
import { documentOf, json, ref, when } from '../support/documents.ts';
import { serve } from '../support/serve.ts';

/** Returns the replies of stubs for these schemas. Each schema has a separate operation in one service. */
const answersFor = async (schemas: readonly unknown[], components: object = {}) => {
  const operations = schemas.map((schema, nth) => [
    `/${nth}`,
    { get: { operationId: `read${nth}`, responses: { 200: json(schema) } } },
  ]);
  const { send } = await serve(
    await documentOf({ paths: Object.fromEntries(operations), components: { schemas: components } }),
    Object.fromEntries(schemas.map((_, nth) => [`read${nth}`, stub])),
    { answerStubs: true },
  );
  return Promise.all(
    schemas.map(async (_, nth) => {
      const reply = await send(`/${nth}`);
      return { status: reply.status, stub: reply.headers.get('x-stub'), text: await reply.text() };
    }),
  );
};

/** A stub sends these bodies, which fit their schemas. */
const expectBodies = async (
  cases: readonly (readonly [schema: unknown, body: unknown])[],
  components?: object,
) => {
  const answers = await answersFor(
    cases.map(([schema]) => schema),
    components,
  );
  expect(answers.map(({ status, text }) => [status, JSON.parse(text)])).toEqual(
    cases.map(([, body]) => [200, body]),
  );
};

/** A stub sends bodies that fit these schemas, whatever they are. */
const expectFits = async (schemas: readonly unknown[], components?: object) => {
  const answers = await answersFor(schemas, components);
  expect(answers.map(({ status }) => status)).toEqual(schemas.map(() => 200));
};

const text = (keywords: object) => ({ type: 'string', ...keywords });
const list = (items: unknown, keywords: object = {}) => ({ type: 'array', items, ...keywords });

test('a stub makes texts that match a pattern', async () => {
  await expectBodies([
    [text({ pattern: '^[0-9a-f]{24}$' }), 'a'.repeat(24)],
    [text({ pattern: '^(?:GET|POST)$' }), 'GET'],
    [text({ pattern: '^v\\d+\\.\\d+$' }), 'v0.0'],
    [text({ pattern: '^[^a-z]+$', minLength: 3 }), 'AAA'],
    [text({ pattern: 'thing' }), 'thing'],
    [text({ pattern: '^[a-z]*$', minLength: 40, maxLength: 42 }), 'a'.repeat(40)],
    [text({ pattern: '^[\\u{4e00}-\\u{9fff}]$' }), '一'],
  ]);
  await expectFits([
    text({ pattern: '^(?!aaa)[a-c]{3}$' }),
    text({ pattern: '^https?://', format: 'uri' }),
    text({ pattern: '^\\+?[1-9]\\d{1,14}$' }),
    text({ pattern: '^\\S+@\\S+\\.\\S+$', format: 'email' }),
  ]);
});

test('a stub makes texts of a format and a length', async () => {
  await expectFits([
    text({ format: 'email', maxLength: 80 }),
    text({ minLength: 40 }),
    ...[
      'iso-time',
      'iso-date-time',
      'uri-template',
      'json-pointer',
      'relative-json-pointer',
      'regex',
      'url',
    ].map((format) => text({ format })),
  ]);
});

test('a stub makes numbers within their bounds, to the last digit', async () => {
  await expectBodies([
    [{ type: 'integer', minimum: 10, multipleOf: 7 }, 14],
    [{ type: 'integer', allOf: [{ multipleOf: 4 }, { multipleOf: 6 }, { exclusiveMinimum: 12 }] }, 24],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1, multipleOf: 0.01 }, 0.01],
    [{ type: 'number', minimum: 1.25, maximum: 1.26 }, 1.25],
    [{ type: 'integer', allOf: [{ maximum: -5 }, { maximum: -9 }] }, -9],
  ]);
  await expectFits([{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.001 }]);
  const [large] = await answersFor([{ type: 'integer', format: 'int64', minimum: '$9007199254740993' }]);
  expect(large).toMatchObject({ status: 200, text: '9007199254740993' });
});

test('a stub makes as many different items as a schema wants', async () => {
  const unique = { minItems: 3, uniqueItems: true };
  await expectBodies([
    [list({ enum: ['a', 'b', 'c', 'd'] }, unique), ['a', 'b', 'c']],
    [list(text({ format: 'date' }), unique), ['2026-01-31', '2026-02-01', '2026-02-02']],
    [list({ type: 'integer', minimum: 4 }, unique), [4, 5, 6]],
    [list({ enum: ['a', 'b'] }, { minItems: 2 }), ['a', 'a']],
    [list({ type: 'boolean' }, { minItems: 2, uniqueItems: true }), [true, false]],
    [list(text({ pattern: '^[ab]$' }), { minItems: 2, uniqueItems: true }), ['a', 'b']],
  ]);
  await expectFits([
    list({ type: 'object', properties: { a: { enum: [1, 2] }, b: { type: 'boolean' } } }, unique),
    list(list(text({ format: 'uuid' })), unique),
  ]);
});

test('a stub makes as many members as a schema wants', async () => {
  await expectBodies([
    [
      { type: 'object', minProperties: 2, additionalProperties: { const: 1 } },
      { member1: 1, member2: 1 },
    ],
    [
      { type: 'object', maxProperties: 1, required: ['b'], properties: { a: { const: 1 }, b: { const: 2 } } },
      { b: 2 },
    ],
  ]);
});

test('a stub tries the next alternative where the first does not do', async () => {
  const some = (name: string) => ({
    type: 'object',
    required: ['a'],
    properties: { a: {}, [name]: { const: name } },
  });
  await expectFits([
    { oneOf: [{ type: 'number' }, { type: 'integer' }, { type: 'string' }] },
    { oneOf: [some('b'), { ...some('c'), required: ['a', 'c'], additionalProperties: false }] },
    { enum: ['a', 'b'], not: { const: 'a' } },
    { type: ['string', 'null'], not: { type: 'string' } },
    { not: { type: 'null' } },
    {
      type: 'object',
      properties: { kind: { enum: ['x', 'y'] } },
      ...when(
        { properties: { kind: { const: 'x' } } },
        { required: ['more'], properties: { more: { const: 1 } } },
      ),
    },
    {
      allOf: [{ properties: { a: { minimum: 3 } } }, { properties: { a: { type: 'integer', maximum: 3 } } }],
    },
  ]);
});

test('a stub of a base sends a subtype, and a stub of a subtype that subtype', async () => {
  const kind = { type: 'string', enum: ['Fish', 'Bird'] };
  const Animal = {
    type: 'object',
    required: ['kind'],
    properties: { kind, friend: ref('Animal') },
    discriminator: { propertyName: 'kind' },
  };
  const extending = (name: string, value: object) => ({
    allOf: [ref('Animal'), { type: 'object', required: [name], properties: { [name]: value } }],
  });
  const schemas = {
    Animal,
    Fish: extending('fins', { const: 2 }),
    Bird: extending('mate', ref('Animal')),
  };
  const answers = await answersFor(['Animal', 'Fish', 'Bird'].map(ref), schemas);
  expect(answers.map(({ text: body }) => JSON.parse(body))).toMatchObject([
    { kind: 'Fish', fins: 2 },
    { kind: 'Fish', fins: 2 },
    { kind: 'Bird', mate: { kind: 'Fish', fins: 2 } },
  ]);
});

test('a stub of a schema that must hold itself ends where it may', async () => {
  const Node = {
    type: 'object',
    required: ['next'],
    properties: { next: { oneOf: [ref('Node'), { type: 'null' }] } },
  };
  await expectFits([ref('Node')], { Node });
});

test('an example in a schema that does not fit is left out', async () => {
  const schema = {
    type: 'object',
    properties: {
      day: text({ format: 'date', examples: ['today', '2026-05-01'] }),
      name: text({ examples: ['Lamp'] }),
    },
  };
  const [answer] = await answersFor([schema]);
  expect(answer).toMatchObject({
    status: 200,
    text: '{"day":"2026-05-01","name":"Lamp"}',
  });
});

test('a stub sends a relative reference that the contract gives as an example of a URL', async () => {
  const url = { type: 'string', format: 'uri', example: '/users/7?full=true' };
  const links = { self: '/users/7', all: '?page=1', home: 'https://example.org' };
  await expectBodies([
    [{ type: 'object', required: ['url'], properties: { url } }, { url: '/users/7?full=true' }],
    [{ type: 'object', additionalProperties: { type: 'string', format: 'uri' }, example: links }, links],
    [{ anyOf: [{ type: 'integer' }, { type: 'string', format: 'uri' }], example: './7' }, './7'],
  ]);
});

test('a stub whose schema contradicts itself answers 501, and is marked as a stub', async () => {
  const answers = await answersFor(
    [
      { type: 'integer', minimum: 5, maximum: 4 },
      { type: 'object', required: ['a'], properties: { a: false } },
      text({ pattern: '^a$', minLength: 2 }),
      ref('Endless'),
      { allOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    {
      Endless: {
        type: 'object',
        required: ['a'],
        properties: { a: ref('Endless') },
      },
    },
  );
  expect(answers.map(({ status, stub: id }) => [status, id])).toEqual(
    answers.map((_, index) => [501, `read${index}`]),
  );
  expect(answers[0]?.text).toContain('no value fits its schema');
});

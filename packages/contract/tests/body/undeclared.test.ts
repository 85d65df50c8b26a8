import { int64, json, jsonBody, object, ref, text, when } from '../support/documents.ts';
import { decoderFor, receiverFor, serveOperation } from '../support/operation.ts';
import { inParts } from '../support/parts.ts';

const THING = object({ name: text });
const schemas = { Thing: THING, Tree: object({ v: int64, children: { type: 'array', items: ref('Tree') } }) };

const ODD = '"__proto__":{"admin":true},"constructor":1,"toString":2,"id":7';

describe('a handler gets the declared members of a body, and no others', () => {
  test.each<[where: string, schema: unknown, sent: string, received: unknown]>([
    ['at the top', THING, `{"name":"a",${ODD}}`, { name: 'a' }],
    ['in a member', object({ of: ref('Thing') }), `{"of":{"name":"a",${ODD}}}`, { of: { name: 'a' } }],
    ['in a list', { type: 'array', items: THING }, `[{"name":"a","id":1},{"id":2}]`, [{ name: 'a' }, {}]],
    ['in a tuple', { prefixItems: [THING], items: int64 }, `[{"name":"a","id":1},2]`, [{ name: 'a' }, 2n]],
    ['in a map', { additionalProperties: THING }, `{"a":{"name":"a",${ODD}}}`, { a: { name: 'a' } }],
    [
      'in a tree',
      ref('Tree'),
      '{"v":1,"x":1,"children":[{"v":2,"x":1,"children":[{"x":1}]}]}',
      { v: 1n, children: [{ v: 2n, children: [{}] }] },
    ],
    [
      'in all parts of an allOf',
      { allOf: [THING, object({ tag: text })] },
      `{"name":"a","tag":"t",${ODD}}`,
      { name: 'a', tag: 't' },
    ],
    [
      'beside a reference',
      { ...ref('Thing'), properties: { tag: text } },
      `{"name":"a","tag":"t",${ODD}}`,
      { name: 'a', tag: 't' },
    ],
    [
      'in any branch of a union',
      { anyOf: [THING, object({ size: int64 })] },
      `{"name":"a","size":1,${ODD}}`,
      { name: 'a', size: 1n },
    ],
    [
      'in the branch that a discriminator names',
      {
        oneOf: [object({ kind: { const: 'a' }, x: text }), object({ kind: { const: 'b' }, y: text })],
        discriminator: { propertyName: 'kind' },
      },
      '{"kind":"a","x":"x","y":"y"}',
      { kind: 'a', x: 'x' },
    ],
    [
      'in conditions and dependent schemas',
      {
        ...THING,
        ...when(object({ name: { const: 'a' } }), object({ size: int64 })),
        dependentSchemas: { size: object({ unit: text }) },
      },
      `{"name":"a","size":1,"unit":"m",${ODD}}`,
      { name: 'a', size: 1n, unit: 'm' },
    ],
    [
      'by pattern',
      { properties: { name: text }, patternProperties: { '^x-': int64 } },
      `{"name":"a","x-a":1,${ODD}}`,
      { name: 'a', 'x-a': 1n },
    ],
    [
      'of a value that only a branch without a description accepts',
      { anyOf: [{ additionalProperties: { enum: ['a'] } }, {}] },
      '{"any":{"thing":[1]}}',
      { any: { thing: [1] } },
    ],
    ['that are required', { ...THING, required: ['id'] }, '{"id":7,"x":1}', { id: 7 }],
    [
      'whatever they are called',
      object({ constructor: int64, toString: int64 }),
      '{"constructor":1,"toString":2,"valueOf":3}',
      { constructor: 1n, toString: 2n },
    ],
    ['with their defaults', object({ size: { ...int64, default: 5 } }), '{"id":1}', { size: 5n }],
  ])('%s', async (_where, schema, sent, received) => {
    const decode = await decoderFor(schema, schemas);
    const body = await decode(sent);
    expect(body).toEqual(received);
    expect(Object('admin' in Object(body))).toEqual(Object(false));
  });

  test.each([
    ['says additionalProperties: true', { ...THING, additionalProperties: true }],
    ['gives them a schema', { ...THING, additionalProperties: text }],
    ['gives them a schema where nothing else describes them', { ...THING, unevaluatedProperties: text }],
    ['declares none', { type: 'object' }],
    ['says nothing', {}],
    ['has a branch for any object', { anyOf: [THING, { type: 'object' }] }],
  ])('and all of them where the schema %s', async (_what, schema) => {
    const decode = await decoderFor(schema);
    const sent = '{"name":"a","__proto__":"p","constructor":"c","id":"7"}';
    expect(Object.entries(Object(await decode(sent)))).toEqual(Object.entries(JSON.parse(sent)));
  });

  test('in forms and in parts', async () => {
    const schema = object({ name: text, of: THING });
    const form = 'application/x-www-form-urlencoded';
    const receive = await receiverFor({
      [form]: { schema },
      'multipart/form-data': { schema },
    });
    expect(await receive(form, 'name=a&id=1&__proto__=1&of[name]=b&of[id]=2&constructor[a]=1')).toEqual({
      name: 'a',
      of: { name: 'b' },
    });
    const parts = inParts(
      { name: 'name', is: 'a' },
      { name: 'id', is: '1' },
      { name: '__proto__', is: '1' },
      { name: 'photo', is: 'bytes', filename: 'a.png' },
      { name: 'of', is: '{"name":"b","id":2}' },
    );
    expect(await receive(...parts)).toEqual({ name: 'a', of: { name: 'b' } });
  });
});

test('an object in a parameter has no undeclared members either', async () => {
  const schema = object({ of: THING, size: int64 });
  const { receive } = await serveOperation(
    {
      parameters: [
        { name: 'deep', in: 'query', style: 'deepObject', schema },
        { name: 'flat', in: 'query', explode: false, schema },
        { name: 'json', in: 'query', content: json(schema).content },
      ],
    },
    { method: 'get' },
  );
  const sent = encodeURIComponent(`{"size":9007199254740993,"of":{"name":"a",${ODD}}}`);
  const { query } = await receive(
    `/things?deep[size]=1&deep[id]=7&deep[of][name]=a&deep[of][id]=7&deep[__proto__][a]=1&flat=size,2,id,7&json=${sent}`,
  );
  expect(query).toEqual({
    deep: { size: 1n, of: { name: 'a' } },
    flat: { size: 2n },
    json: { size: 9007199254740993n, of: { name: 'a' } },
  });
});

test('a body of many undeclared members, or of many branches, delays no other request', async () => {
  const branch = (nth: number) => object({ [`m${nth}`]: ref('Thing') });
  const decode = await decoderFor({ anyOf: Array.from({ length: 200 }, (_, nth) => branch(nth)) }, schemas);
  const members = Array.from({ length: 10_000 }, (_, nth) => `"x${nth}":{"y":${nth}}`);
  await decode('{}'); // compiles
  const started = performance.now();
  expect(await decode(`{${members.join()}}`)).toEqual({});
  expect(performance.now() - started).toBeLessThan(2000);
});

test('a removed member may be nested as deeply as any value, with any numbers', async () => {
  const decode = await decoderFor(object({ hidden: { readOnly: true } }));
  const numbers = Array.from({ length: 3500 }, () => '9007199254740993');
  expect(await decode(`{"hidden":${'['.repeat(15_000)}${numbers}${']'.repeat(15_000)}}`)).toEqual({});
});

describe('where undeclared members are refused', () => {
  const post = async (body: string) => {
    const requestBody = jsonBody(object({ user: THING, more: { type: 'object' } }));
    const { receive } = await serveOperation({ requestBody }, { unknownBody: 'refuse' });
    return receive('/things', { headers: { 'content-type': 'application/json' }, body });
  };

  test('a body without any is served', async () => {
    expect((await post('{"user":{"name":"a"},"more":{"x":{"y":1}}}')).body).toBeDefined();
  });

  test('all of them are listed, beside what else is wrong', async () => {
    await expect(post('{"user":{"id":777,"name":1},"__proto__":1}')).rejects.toMatchObject({
      status: 400,
      message: 'body.user.name must be a string; body.user.id is not allowed; body.__proto__ is not allowed',
    });
  });
});

describe('a number that no double holds', () => {
  test.each(['1e400', '-1e400', '9007199254740993', '1e-400', '12345678901234567890.5'])(
    '%s is refused where no schema gives it a type',
    async (number) => {
      const message = 'must be a number that a double holds exactly';
      const decode = await decoderFor(object({ any: {}, map: { type: 'object' }, list: { type: 'array' } }));
      await expect(decode(`{"any":${number}}`)).rejects.toThrow(new Error(`body.any ${message}`));
      await expect(decode(`{"map":{"a":[${number}]}}`)).rejects.toThrow(
        new Error(`body.map.a[0] ${message}`),
      );
      await expect(decode(`{"list":[1,{"a":${number}}]}`)).rejects.toThrow(
        new Error(`body.list[1].a ${message}`),
      );
      const anything = await decoderFor({});
      await expect(anything(number)).rejects.toThrow(new Error(`body ${message}`));
      expect(await decode(`{"dropped":${number}}`)).toEqual({});
    },
  );

  test('is refused where only a branch that does not apply makes it an int64, unless it is removed', async () => {
    const hidden = { ...object({ n: int64 }), readOnly: true };
    const kinds = [
      object({ kind: { const: 1 }, size: int64, hidden }),
      object({ kind: { const: 2 }, hidden }),
    ];
    const decode = await decoderFor({ oneOf: kinds });
    const big = '9007199254740993';
    expect(await decode(`{"kind":1,"size":${big}}`)).toEqual({ kind: 1, size: BigInt(big) });
    await expect(decode(`{"kind":2,"size":${big}}`)).rejects.toThrow('body.size must be a number that');
    expect(await decode(`{"kind":2,"hidden":{"n":${big}}}`)).toEqual({ kind: 2 });
  });

  test.each([{ anyOf: [{ type: 'integer' }, {}] }, when({ type: 'number' }, { minLength: 1 })])(
    'is refused if it is infinite, even if a branch describes numbers: %j',
    async (schema) => {
      const decode = await decoderFor(object({ a: schema }));
      await expect(decode('{"a":-1e400}')).rejects.toThrow('body.a must be a number that');
    },
  );

  test.each([
    { oneOf: [{ type: 'integer' }, { type: 'object' }] },
    { type: ['number', 'object'] },
    { anyOf: [{ enum: [1] }, { type: 'object', additionalProperties: true }] },
  ])('is refused below an object that %j accepts beside a number', async (schema) => {
    const decode = await decoderFor(schema);
    await expect(decode('{"a":[9007199254740993]}')).rejects.toThrow('body.a[0] must be a number that');
    expect(await decode('1')).toBe(1);
  });

  test.each(['0.10000000000000001', '1e22', '-0', '0e5', '9007199254740992', '1.7976931348623157e308'])(
    'is not %s',
    async (number) => {
      const decode = await decoderFor({});
      expect(await decode(`{"a":${number}}`)).toEqual({ a: Number(number) });
    },
  );

  test('is a bigint where a schema says int64, whatever says nothing beside it', async () => {
    const decode = await decoderFor({ contains: object({ v: int64 }) });
    expect(await decode('[{"v":9007199254740993}]')).toEqual([{ v: 9007199254740993n }]);
  });
});

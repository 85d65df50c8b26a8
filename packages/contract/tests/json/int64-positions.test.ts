import { int64, when } from '../support/documents.ts';
import { decoderFor } from '../support/operation.ts';

const EXACT = '9007199254740993';
const ROUNDED = 9007199254740992;
const thing = { type: 'object', properties: { v: int64 } };

const treeOf = (children: object) => ({
  Node: { type: 'object', properties: { v: int64, children } },
});

test.each<[place: string, schema: unknown, text: string, value: unknown]>([
  ['the body itself', int64, EXACT, 9007199254740993n],
  ['a member', thing, `{"v":${EXACT}}`, { v: 9007199254740993n }],
  ['a small integer', thing, '{"v":41}', { v: 41n }],
  [
    'a member of a member',
    { properties: { a: thing } },
    `{"a":{"v":${EXACT}}}`,
    { a: { v: 9007199254740993n } },
  ],
  ['an oddly named member', { properties: { 'a/b~c %': int64 } }, `{"a/b~c %":1}`, { 'a/b~c %': 1n }],
  ['an item', { type: 'array', items: int64 }, `[1,${EXACT}]`, [1n, 9007199254740993n]],
  ['a tuple', { prefixItems: [{ type: 'number' }, int64] }, `[1,${EXACT},3]`, [1, 9007199254740993n, 3]],
  ['items after a tuple', { prefixItems: [{ type: 'number' }], items: int64 }, '[1,2,3]', [1, 2n, 3n]],
  [
    'an additional member',
    { properties: { a: true }, additionalProperties: int64 },
    '{"a":1,"b":2}',
    { a: 1, b: 2n },
  ],
  ['a member by pattern', { patternProperties: { '^n': int64 } }, `{"n":${EXACT}}`, { n: 9007199254740993n }],
  [
    'an additional member that no pattern names',
    { patternProperties: { '^n': { type: 'number' } }, additionalProperties: int64 },
    '{"n":1,"a":2}',
    { n: 1, a: 2n },
  ],
  ['part of allOf', { allOf: [{ properties: { a: int64 } }, thing] }, '{"a":1,"v":2}', { a: 1n, v: 2n }],
  [
    'a consequence',
    when({ required: ['a'] }, thing, { properties: { w: int64 } }),
    `{"a":1,"v":${EXACT},"w":1}`,
    { a: 1, v: 9007199254740993n, w: 1 },
  ],
  [
    'an alternative',
    when({ required: ['a'] }, thing, { properties: { w: int64 } }),
    `{"v":1,"w":${EXACT}}`,
    { v: 1, w: 9007199254740993n },
  ],
  ['a question', { if: { properties: { v: int64 } } }, `{"v":${EXACT}}`, { v: 9007199254740993n }],
  [
    'what depends on a member',
    { dependentSchemas: { a: thing, b: { properties: { w: int64 } } } },
    `{"a":1,"v":${EXACT},"w":1}`,
    { a: 1, v: 9007199254740993n, w: 1 },
  ],
  [
    'a member that nothing else evaluates',
    {
      properties: { a: true },
      patternProperties: { '^b': true },
      allOf: [{ properties: { c: true } }],
      oneOf: [
        { required: ['d'], properties: { d: true } },
        { required: ['e'], properties: { e: true } },
      ],
      unevaluatedProperties: int64,
    },
    `{"a":1,"b":1,"c":1,"d":1,"v":${EXACT}}`,
    { a: 1, b: 1, c: 1, d: 1, v: 9007199254740993n },
  ],
  [
    'a member of the branch that was not taken',
    {
      anyOf: [
        { required: ['d'], properties: { d: true } },
        { required: ['e'], properties: { e: true } },
      ],
      properties: { e: false },
      unevaluatedProperties: int64,
    },
    `{"d":1,"w":${EXACT}}`,
    { d: 1, w: 9007199254740993n },
  ],
  [
    'an item that nothing else evaluates',
    { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: int64 },
    `[1,"a",${EXACT}]`,
    [1, 'a', 9007199254740993n],
  ],
  ['an item that is contained', { contains: int64 }, `["a",${EXACT},1.5]`, ['a', 9007199254740993n, 1.5]],
  ['a local definition', { $ref: '#/components/schemas/Holder/$defs/Id' }, EXACT, 9007199254740993n],
  ['an anchor', { $ref: '#an-id' }, EXACT, 9007199254740993n],
  [
    'a dynamic reference',
    { $ref: '#/components/schemas/Tree' },
    `{"v":1,"children":[{"v":${EXACT}}]}`,
    { v: 1n, children: [{ v: 9007199254740993n }] },
  ],
  ['an integer that may be null', { type: ['integer', 'null'], format: 'int64' }, '1', 1n],
  ['null in such a place', { type: ['integer', 'null'], format: 'int64' }, 'null', null],
])('%s is a bigint if the schema is int64', async (_place, schema, text, value) => {
  const decode = await decoderFor(schema, {
    Holder: { $defs: { Id: int64, Anchored: { $anchor: 'an-id', ...int64 } } },
    Tree: {
      $dynamicAnchor: 'node',
      properties: { v: int64, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    },
  });
  expect(await decode(text)).toEqual(value);
});

test.each<[what: string, schema: unknown, text: string, value: unknown]>([
  ['an integer without a format', { type: 'integer' }, EXACT, ROUNDED],
  ['a number', { type: 'number', format: 'double' }, EXACT, ROUNDED],
  ['an int64 that the types have as literals', { ...int64, enum: [1, 2] }, '1', 1],
  ['an int64 that the types have as one literal', { ...int64, const: 1 }, '1', 1],
  ['a number that is said to be an int64', { type: 'number', format: 'int64' }, '1', 1],
  ['text that is said to be an int64', { type: 'string', format: 'int64' }, '"1"', '1'],
  ['the length of an array', { properties: { length: int64 } }, '[1,2]', [1, 2]],
])('%s keeps the value of JSON.parse', async (_what, schema, text, value) => {
  const decode = await decoderFor(schema);
  expect(await decode(text)).toEqual(value);
});

test.each([
  ['by reference', { type: 'array', items: { $ref: '#/components/schemas/Node' } }],
  ['in a union', { items: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Node' }] } }],
])('a schema that holds itself %s is decoded all the way down', async (_how, children) => {
  const decode = await decoderFor({ $ref: '#/components/schemas/Node' }, treeOf(children));
  expect(await decode(`{"v":1,"children":[{"children":[{"v":${EXACT}}]},{"v":3}]}`)).toEqual({
    v: 1n,
    children: [{ children: [{ v: 9007199254740993n }] }, { v: 3n }],
  });
});

test('int64s are found behind a reference, behind two, and beside one', async () => {
  const schemas = {
    Id: int64,
    Alias: { $ref: '#/components/schemas/Id' },
    Named: { type: 'object' },
    Extended: { $ref: '#/components/schemas/Named', properties: { v: int64 } },
  };
  const decode = await decoderFor(
    {
      $ref: '#/components/schemas/Named',
      properties: {
        a: { $ref: '#/components/schemas/Alias' },
        b: { $ref: '#/components/schemas/Extended' },
      },
    },
    schemas,
  );
  expect(await decode(`{"a":${EXACT},"b":{"v":${EXACT}}}`)).toEqual({
    a: 9007199254740993n,
    b: { v: 9007199254740993n },
  });
});

describe.each(['oneOf', 'anyOf'])('%s', (union) => {
  const branch = (kind: string, v: object) => ({ properties: { kind: { const: kind }, v } });

  test('decodes the branch that was sent, and no other', async () => {
    const decode = await decoderFor({ [union]: [branch('a', int64), branch('b', { type: 'number' })] });
    expect(await decode(`{"kind":"a","v":${EXACT}}`)).toEqual({ kind: 'a', v: 9007199254740993n });
    expect(await decode(`{"kind":"b","v":${EXACT}}`)).toEqual({ kind: 'b', v: ROUNDED });
    expect(await decode('{"kind":"b","v":1}')).toEqual({ kind: 'b', v: 1 });
  });

  test('tells branches apart by the exact integer', async () => {
    const decode = await decoderFor({ [union]: [int64, { type: 'string' }] });
    expect(await decode('9223372036854775807')).toEqual(9223372036854775807n);
    await expect(decode('9223372036854775808')).rejects.toThrow(
      'body must be an int64; body must be a string',
    );
  });
});

test('a union validates an int64 exactly as sent, even if another schema decodes it', async () => {
  const branch = { properties: { v: { type: 'integer' }, w: int64 } };
  const decode = await decoderFor({ allOf: [thing, { oneOf: [branch, { type: 'null' }] }] });
  expect(await decode(`{"v":1,"w":${EXACT}}`)).toEqual({ v: 1n, w: 9007199254740993n });
});

test.each(['oneOf', 'anyOf'])(
  'a branch of %s that refuses a value decodes none of it, even if the schema that it refers to accepts it',
  async (union) => {
    const thing = { $ref: '#/components/schemas/Thing' };
    const branches = [{ ...thing, required: ['other'] }, { allOf: [thing, false] }, { type: 'object' }];
    const decode = await decoderFor(
      { [union]: branches },
      { Thing: { properties: { v: int64, w: { default: 1 } } } },
    );
    expect(await decode('{"v":1}')).toEqual({ v: 1 });
  },
);

test('every branch of anyOf that was sent is decoded', async () => {
  const decode = await decoderFor({ anyOf: [{ properties: { a: int64 } }, { properties: { b: int64 } }] });
  expect(await decode(`{"a":1,"b":${EXACT}}`)).toEqual({ a: 1n, b: 9007199254740993n });
});

test('data that looks like a schema is left alone', async () => {
  const data = { type: 'integer', format: 'int64', readOnly: true, $ref: '#nowhere' };
  const decode = await decoderFor({
    properties: {
      constant: { const: data },
      choice: { enum: [data] },
      fallback: { default: data, example: data, examples: [data] },
      default: int64,
    },
  });
  const text = JSON.stringify({ constant: data, choice: data });
  expect(await decode(text)).toEqual({ constant: data, choice: data, fallback: data });
  expect(await decode('{"default":1}')).toEqual({ default: 1n, fallback: data });
  await expect(decode('{"constant":{"format":"int64","int64":true}}')).rejects.toThrow(
    'body.constant must be',
  );
});

import { writePairs } from '@trellis/openapi/internal/http';
import { documentOf, int64, json } from '../support/documents.ts';
import { serveOperation } from '../support/operation.ts';
import { serve } from '../support/serve.ts';

interface Request {
  readonly params?: Record<string, string>;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

const components = { schemas: { Color: { type: 'string', enum: ['red', 'blue'] } } };

/** Decodes requests to an operation with these parameters. */
const decoderFor = async (...parameters: object[]) => {
  const isInPath = parameters.some((parameter) => 'in' in parameter && parameter.in === 'path');
  const base = isInPath ? '/things/{id}' : '/things';
  const { receive } = await serveOperation(
    { parameters },
    { method: 'get', path: base, document: { components } },
  );
  return ({ params: { id } = {}, path = '/', headers = {} }: Request) =>
    receive(`/things${isInPath ? `/${id}` : ''}${path.slice(1)}`, { headers });
};

const optional = (schema: object) => query(schema, { allowEmptyValue: true });
const list = { type: 'array', items: { type: 'integer' } };
const point = { type: 'object', properties: { x: { type: 'integer' }, y: int64 } };
const query = (schema: object, more: object = {}) => ({ name: 'q', in: 'query', schema, ...more });

test.each<[style: string, parameter: object, sent: string, value: unknown]>([
  ['a text', query({ type: 'string' }), 'q=a%20b+c', 'a b c'],
  ['an empty text', query({ type: 'string' }), 'q=', ''],
  ['an integer', query({ type: 'integer' }), 'q=-41', -41],
  ['an int64', query(int64), 'q=9223372036854775807', 9223372036854775807n],
  ['a number', query({ type: 'number' }), 'q=1.5e3', 1500],
  ['a boolean', query({ type: 'boolean' }), 'q=true', true],
  ['an integer or null', query({ type: ['integer', 'null'] }), 'q=null', null],
  ['an integer or a text', query({ type: ['integer', 'string'] }), 'q=0x10', '0x10'],
  ['a value of an enum', query({ enum: [1, 2] }), 'q=2', 2],
  ['an exploded list', query(list), 'q=1&q=2', [1, 2]],
  ['a list with commas', query(list, { explode: false }), 'q=1,2', [1, 2]],
  [
    'texts with an encoded comma',
    query({ type: 'array', items: { type: 'string' } }, { explode: false }),
    'q=a%2Cb,c',
    ['a,b', 'c'],
  ],
  ['a list with spaces', query(list, { style: 'spaceDelimited', explode: false }), 'q=1%202', [1, 2]],
  ['a list with pipes', query(list, { style: 'pipeDelimited', explode: false }), 'q=1|2%7C3', [1, 2, 3]],
  ['an exploded object', query(point), 'x=1&y=2&z=3', { x: 1, y: 2n }],
  ['an object with commas', query(point, { explode: false }), 'q=x,1,y,2', { x: 1, y: 2n }],
  [
    'a deep object',
    query(point, { style: 'deepObject' }),
    'q[x]=1&q%5By%5D=9007199254740993',
    { x: 1, y: 9007199254740993n },
  ],
  [
    'JSON',
    { name: 'q', in: 'query', content: { 'application/json': { schema: point } } },
    'q=%7B%22y%22%3A9007199254740993%7D',
    { y: 9007199254740993n },
  ],
  [
    'a text by its media type',
    { name: 'q', in: 'query', content: { 'text/plain': { schema: { type: 'string' } } } },
    'q=a+text',
    'a text',
  ],
  [
    'a form by its media type',
    { name: 'q', in: 'query', content: { 'application/x-www-form-urlencoded': { schema: point } } },
    'q=x%3D1%26y%3D2',
    { x: 1, y: 2n },
  ],
  [
    'a tuple',
    query({ type: 'array', prefixItems: [{ type: 'boolean' }, int64], items: { type: 'string' } }),
    'q=true&q=7&q=8',
    [true, 7n, '8'],
  ],
  [
    'a list whose items have several types',
    query({ type: 'array', anyOf: [{ items: { type: 'boolean' } }, { items: { type: 'integer' } }] }),
    'q=1&q=2',
    [1, 2],
  ],
  [
    'a default of JSON',
    { name: 'q', in: 'query', content: { 'application/json': { schema: { default: { a: 1 } } } } },
    '',
    { a: 1 },
  ],
  ['one beside names that are no encoding', query({ type: 'integer' }), '%zz=1&q=2&%00=3', 2],
  ['a default', query({ type: 'integer', default: 7 }), '', 7],
  ['an empty value as not sent', optional({ type: 'boolean' }), 'q', undefined],
  ['an empty value as its default', optional({ type: 'integer', default: 7 }), 'q=', 7],
  ['an empty value of an enum', optional({ type: 'string', enum: ['a'] }), 'q=', undefined],
  ['an empty value of a list', optional(list), 'q=&q=', undefined],
  ['an empty text that the schema accepts', optional({ type: 'string' }), 'q=', ''],
  ['a value beside an empty one', optional({ type: 'integer' }), 'q=3', 3],
  ['a default that is an int64', query({ ...int64, default: 7 }), 'other=1', 7n],
])('%s is read from the query', async (_style, parameter, sent, value) => {
  const decode = await decoderFor(parameter);
  expect((await decode({ path: `/?${sent}` })).query).toEqual({ q: value });
});

const COMMAS = { explode: false };
const SPACES = { style: 'spaceDelimited', explode: false };
const PIPES = { style: 'pipeDelimited', explode: false };

test.each<[items: string, items: object, style: object, sent: string, value: unknown[]]>([
  ['texts', { type: 'string' }, COMMAS, 'a%2Cb', ['a,b']],
  ['texts', { type: 'string', maxLength: 3 }, COMMAS, 'a%2Cb', ['a,b']],
  ['integers', int64, COMMAS, '9007199254740993%2C2,3%2c4', [9007199254740993n, 2n, 3n, 4n]],
  ['an enum', { enum: ['a', 'b', 'c'] }, COMMAS, 'a%2Cb,c', ['a', 'b', 'c']],
  ['an enum with a comma', { enum: ['a', 'b', 'a,b'] }, COMMAS, 'a%2Cb,a,b', ['a,b', 'a', 'b']],
  ['a reference', { $ref: '#/components/schemas/Color' }, COMMAS, 'red%2Cblue', ['red', 'blue']],
  ['a pattern', { type: 'string', pattern: '^[a-z.]+$' }, COMMAS, 'a.b%2Cc', ['a.b', 'c']],
  [
    'a format',
    { type: 'string', format: 'date' },
    COMMAS,
    '2026-01-01%2C2026-01-02',
    ['2026-01-01', '2026-01-02'],
  ],
  ['an enum, or any text', { anyOf: [{ enum: ['a'] }, { type: 'string' }] }, COMMAS, 'a%2Cb', ['a,b']],
  ['an enum', { enum: ['a', 'b', 'c'] }, PIPES, 'a%7Cb|c', ['a', 'b', 'c']],
  ['texts', { type: 'string' }, PIPES, 'a%7Cb|c', ['a|b', 'c']],
  ['texts that are encoded as the standard does', { type: 'string' }, PIPES, 'a%7cb%7Cc', ['a', 'b', 'c']],
  ['integers', int64, SPACES, '1%202+3', [1n, 2n, 3n]],
  ['texts', { type: 'string' }, SPACES, 'a%20b+c', ['a b', 'c']],
  ['texts that are encoded as the standard does', { type: 'string' }, SPACES, 'a%20b%20c', ['a', 'b', 'c']],
])(
  'an encoded delimiter separates %s where no item can contain one: %j %j %s',
  async (_what, items, style, sent, value) => {
    const decode = await decoderFor(query({ type: 'array', items }, style));
    expect((await decode({ path: `/?q=${sent}` })).query).toEqual({ q: value });
  },
);

test('an encoded delimiter separates lists in a path and objects, too', async () => {
  const decode = await decoderFor(
    { name: 'id', in: 'path', required: true, schema: list },
    query(point, { explode: false }),
  );
  expect(await decode({ params: { id: '1%2C2' }, path: '/?q=x%2C1%2Cy%2C2' })).toMatchObject({
    path: { id: [1, 2] },
    query: { q: { x: 1, y: 2n } },
  });
});

test('an invalid item is refused at its place, whatever the separator', async () => {
  const decode = await decoderFor(query(list, { explode: false }));
  await expect(decode({ path: '/?q=1%2Ca' })).rejects.toThrow(new Error('query.q[1] must be an integer'));
});

test('a list that the client writes is read back, with delimiters in its items', async () => {
  for (const style of [COMMAS, PIPES, SPACES]) {
    const decode = await decoderFor(query({ type: 'array', items: { type: 'string' } }, style));
    for (const value of [
      ['a,b', 'c|d', 'e f+', '%7C'],
      ['a', 'b'],
    ]) {
      const sent = writePairs(style, 'q', value).map((pair) => pair.join('='));
      expect((await decode({ path: `/?${sent.join('&')}` })).query).toEqual({ q: value });
    }
  }
});

test.each<[style: string, parameter: object, sent: string, value: unknown]>([
  ['an int64', { schema: int64 }, '-9223372036854775808', -9223372036854775808n],
  ['a text with an encoded slash', { schema: { type: 'string' } }, 'a%2Fb%C3%A9', 'a/bé'],
  ['a list', { schema: list }, '1,2', [1, 2]],
  ['an object', { schema: point }, 'x,1,y,2', { x: 1, y: 2n }],
  ['an exploded object', { schema: point, explode: true }, 'x=1,y=2', { x: 1, y: 2n }],
  ['a label', { schema: { type: 'integer' }, style: 'label' }, '.5', 5],
  ['a list of labels', { schema: list, style: 'label', explode: true }, '.1.2', [1, 2]],
  ['a matrix that is an object', { schema: point, style: 'matrix' }, ';id=x,1,y,2', { x: 1, y: 2n }],
  [
    'an exploded matrix that is an object',
    { schema: point, style: 'matrix', explode: true },
    ';x=1;y=2',
    { x: 1, y: 2n },
  ],
  ['an empty matrix', { schema: { type: 'string' }, style: 'matrix' }, ';id', ''],
  ['a matrix', { schema: { type: 'integer' }, style: 'matrix' }, ';id=5', 5],
  ['an exploded matrix', { schema: list, style: 'matrix', explode: true }, ';id=1;id=2', [1, 2]],
])('%s is read from the path', async (_style, parameter, sent, value) => {
  const decode = await decoderFor({ name: 'id', in: 'path', required: true, ...parameter });
  expect((await decode({ params: { id: sent } })).path).toEqual({ id: value });
});

/** An integer up to 10, or any text. */
const upToTen = [{ type: 'integer', maximum: 10 }, { type: 'string' }];

test.each<[what: string, schema: object, sent: string, value: unknown]>([
  ['an integer, of a union of both', { anyOf: upToTen }, '5', 5],
  ['a text, of a union of both', { anyOf: upToTen }, '50', '50'],
  ['a text, of branches that exclude each other', { oneOf: upToTen }, '50', '50'],
  ['a text, where both types stand in one list', { type: ['integer', 'string'], maximum: 10 }, '50', '50'],
  ['a text, beside null', { type: ['null', 'string'], minLength: 1, not: { type: 'null' } }, 'null', 'null'],
  ['a text, of an enum with numbers', { enum: [1, '50'] }, '50', '50'],
  [
    'a text, of a branch that names no type',
    { anyOf: [upToTen[0], { not: { type: 'integer' } }] },
    '50',
    '50',
  ],
  ['a text, beside a boolean', { anyOf: [{ const: true }, { type: 'string' }] }, 'false', 'false'],
  [
    'an int64, beside short texts',
    { anyOf: [int64, { maxLength: 5 }] },
    '9007199254740993',
    9007199254740993n,
  ],
])('%s is read as the schema accepts it, in every place', async (_what, schema, sent, value) => {
  const decode = await decoderFor(
    query(schema),
    { name: 'id', in: 'path', required: true, schema },
    { name: 'h', in: 'header', schema },
    { name: 'c', in: 'cookie', schema },
  );
  const headers = { h: sent, cookie: `c=${sent}` };
  expect(await decode({ params: { id: sent }, path: `/?q=${sent}`, headers })).toMatchObject({
    path: { id: value },
    query: { q: value },
    header: { h: value },
    cookie: { c: value },
  });
});

test.each<[what: string, schema: object, sent: string, value: unknown]>([
  ['each item', { type: 'array', items: { anyOf: upToTen } }, 'q=5&q=50', [5, '50']],
  [
    'all items, of a union of lists',
    { anyOf: upToTen.map((items) => ({ type: 'array', items })) },
    'q=5&q=50',
    ['5', '50'],
  ],
  ['a member', { type: 'object', properties: { x: { anyOf: upToTen } } }, 'x=50', { x: '50' }],
  [
    'each member as one branch has it, where no type fits all of them',
    {
      anyOf: [
        { type: 'object', required: ['w'], properties: { x: { type: 'integer' }, w: { type: 'integer' } } },
        { type: 'object', properties: { x: { type: 'string' }, y: { type: 'integer' } } },
      ].map((each) => ({ ...each, additionalProperties: false })),
    },
    'x=5&y=7',
    { x: '5', y: 7 },
  ],
  [
    'all members, of a union of objects',
    { oneOf: upToTen.map((each) => ({ type: 'object', properties: { x: each, y: each } })) },
    'x=5&y=50',
    { x: '5', y: '50' },
  ],
  [
    'a number, in its digits',
    { type: 'number', minimum: '$9007199254740993' },
    'q=9007199254740993',
    2 ** 53,
  ],
  ['a constant, in its digits', { const: '$9007199254740993' }, 'q=9007199254740993', 2 ** 53],
  ['one, where a list would be too short', { anyOf: [{ ...list, minItems: 2 }, upToTen[0]] }, 'q=7', 7],
  ['null, where a list has other items', { type: ['array', 'null'], items: int64 }, 'q=null', null],
  ['a text, where an object would have members', { anyOf: [point, { type: 'string' }] }, 'q=a', 'a'],
])('%s is read as the schema accepts it', async (_what, schema, sent, value) => {
  const decode = await decoderFor(query(schema));
  expect((await decode({ path: `/?${sent}` })).query).toEqual({ q: value });
});

test('if the schema accepts no reading, the error is about the first reading', async () => {
  const decode = await decoderFor(query({ type: ['integer', 'null'], maximum: 10 }));
  await expect(decode({ path: '/?q=50' })).rejects.toThrow(new Error('query.q must be <= 10'));
});

test('a header is found in any case, and gets its declared name', async () => {
  const decode = await decoderFor({ name: 'X-Ids', in: 'header', schema: list });
  expect((await decode({ headers: { 'x-ids': '1,2' } })).header).toEqual({ 'X-Ids': [1, 2] });
});

test.each<[what: string, schema: object, sent: string, value: unknown]>([
  ['a list with spaces', list, '1 ,\t2,  3', [1, 2, 3]],
  ['two lines, joined by Node', list, '1, 2', [1, 2]],
  ['an object', point, 'x, 1, y, 2', { x: 1, y: 2n }],
  ['a text with a space inside', { type: 'string' }, 'a b', 'a b'],
])('%s is read from a header', async (_what, schema, sent, value) => {
  const decode = await decoderFor({ name: 'X-Ids', in: 'header', schema });
  expect((await decode({ headers: { 'x-ids': sent } })).header).toEqual({ 'X-Ids': value });
});

test.each<[style: string, parameter: object, sent: string]>([
  ['label', { schema: { type: 'integer' } }, '5'],
  ['label', { schema: list, explode: true }, '1.2'],
  ['matrix', { schema: { type: 'integer' } }, '5'],
  ['matrix', { schema: { type: 'integer', default: 7 } }, 'id=5'],
  ['matrix', { schema: { type: 'integer' } }, ';other=5'],
  ['matrix', { schema: list, explode: true }, ';id=1;other=2'],
  ['matrix', { schema: point, explode: true }, 'x=1;y=2'],
])('a %s parameter without its mark is missing', async (style, parameter, sent) => {
  const decode = await decoderFor({ name: 'id', in: 'path', required: true, style, ...parameter });
  await expect(decode({ params: { id: sent } })).rejects.toThrow(new Error('path.id is required'));
});

test('a cookie is found among others', async () => {
  const decode = await decoderFor({ name: 'c', in: 'cookie', schema: int64 });
  expect((await decode({ headers: { cookie: 'a=1; c=9007199254740993; d=2' } })).cookie).toEqual({
    c: 9007199254740993n,
  });
});

test('parameters that were not sent are missing, and undeclared parameters are ignored', async () => {
  const decode = await decoderFor(query(list), { name: 'Accept', in: 'header', required: true, schema: {} });
  expect(await decode({ path: '/?other=1' })).toEqual({
    path: {},
    query: {},
    header: {},
    cookie: {},
    body: undefined,
  });
});

test.each(['0x10', '%205', '1e3', '1.0', '+5', '007', '9223372036854775808', 'null'])(
  '"%s" is no int64 in a path',
  async (id) => {
    const decode = await decoderFor({ name: 'id', in: 'path', required: true, schema: int64 });
    await expect(decode({ params: { id } })).rejects.toThrow('path.id must be an int64');
  },
);

test.each<[what: string, parameter: object, target: string, message: string]>([
  ['a required one that is missing', query({}, { required: true }), '/', 'query.q is required'],
  ['two where one is due', query({ type: 'integer' }), '/?q=1&q=2', 'query.q must be an integer'],
  ['one below its bound', query({ type: 'integer', minimum: 1 }), '/?q=0', 'query.q must be >= 1'],
  ['an item of another type', query(list), '/?q=1&q=a', 'query.q[1] must be an integer'],
  [
    'invalid JSON',
    { name: 'q', in: 'query', content: { 'application/json': { schema: {} } } },
    '/?q={',
    'query.q is not valid JSON',
  ],
  [
    'JSON with U+0000 in it',
    { name: 'q', in: 'query', content: { 'application/json': { schema: {} } } },
    '/?q={"a":"\\u0000"}',
    'query.q.a must not hold U+0000',
  ],
  [
    'JSON with half a character in it',
    { name: 'q', in: 'query', content: { 'application/json': { schema: {} } } },
    '/?q=["\\ud800"]',
    'query.q[0] must not hold a lone surrogate',
  ],
  ['an invalid encoding', query({ type: 'string' }), '/?q=%E0%A4', 'is not the percent-encoding of a text'],
  ['U+0000', query({ type: 'string' }), '/?q=%00', 'is not the percent-encoding of a text'],
])('%s is refused', async (_what, parameter, target, message) => {
  const decode = await decoderFor(parameter);
  await expect(decode({ path: target })).rejects.toThrow(message);
});

test('an operation overrides the parameters of its path', async () => {
  const shared = {
    parameters: [query({ type: 'integer' }), { name: 'r', in: 'query', schema: { type: 'integer' } }],
  };
  const get = {
    operationId: 'readThings',
    parameters: [query({ type: 'boolean' })],
    responses: { 200: json({}) },
  };
  const document = await documentOf({ paths: { '/things': { ...shared, get } } });
  const { send } = await serve(document, {
    readThings: async ({ query: sent }: { query: object }) => ({ status: 200, body: sent }),
  });
  expect(await (await send('/things?q=true&r=1')).json()).toEqual({ q: true, r: 1 });
});

test('all violations of parameters are reported at once', async () => {
  const decode = await decoderFor(query(int64), {
    name: 'h',
    in: 'header',
    required: true,
    schema: { type: 'string' },
  });
  await expect(decode({ path: '/?q=a' })).rejects.toThrow(
    /^(?=.*query\.q must be an int64)(?=.*header\.h is required)/,
  );
});

import { writePairs } from '@trellis/openapi/internal/http';
import fc from 'fast-check';
import { int64, object, text } from '../support/documents.ts';
import { receiverFor, serveOperation } from '../support/operation.ts';

const FORM = 'application/x-www-form-urlencoded';
const list = (items: object) => ({ type: 'array', items });

/** The members of a request: what stripe-node, Rails and PHP write in brackets. */
const SCHEMAS = {
  expand: list(text),
  ids: list(int64),
  created: {
    anyOf: [
      object({ range: object({ from: { type: 'integer' } }), gte: int64 }, { additionalProperties: false }),
      { type: 'integer' },
    ],
  },
  line_items: list(object({ price: text, quantity: int64, taxes: list(text) }, { required: ['price'] })),
  metadata: { type: 'object', additionalProperties: text },
  either: { anyOf: [list(text), object({ '0': text, b: text }, { additionalProperties: false })] },
  any: { type: 'object' },
  tree: { $ref: '#/components/schemas/Tree' },
  limit: { type: 'integer' },
};
const components = {
  schemas: {
    Tree: {
      anyOf: [
        object(
          { and: list({ $ref: '#/components/schemas/Tree' }) },
          { required: ['and'], additionalProperties: false },
        ),
        object(
          { value: { type: ['integer', 'string'] } },
          { required: ['value'], additionalProperties: false },
        ),
      ],
    },
  },
};

const isDeep = (name: string) => name !== 'expand' && name !== 'limit';
const { receive } = await serveOperation(
  {
    parameters: Object.entries(SCHEMAS).map(([name, schema]) => ({
      name,
      in: 'query',
      schema,
      ...(isDeep(name) && { style: 'deepObject', explode: true }),
    })),
    requestBody: { content: { [FORM]: { schema: object(SCHEMAS) } } },
  },
  { document: { components } },
);

/** Decodes queries, and forms, that have these members. */
const query = async (sent: string): Promise<unknown> => (await receive(`/things?${sent}`)).query;
const form = async (sent: string): Promise<unknown> =>
  (await receive('/things', { headers: { 'content-type': FORM }, body: sent })).body;

test.each<[sent: string, value: object]>([
  ['expand[]=a&expand[]=b', { expand: ['a', 'b'] }],
  ['expand[0]=a&expand[1]=b', { expand: ['a', 'b'] }],
  ['expand[1]=b&expand%5B0%5D=a', { expand: ['a', 'b'] }],
  ['expand=a&expand=b', { expand: ['a', 'b'] }],
  ['ids[]=9007199254740993', { ids: [9007199254740993n] }],
  ['ids=1&ids=2', { ids: [1n, 2n] }],
  ['created[gte]=9007199254740993', { created: { gte: 9007199254740993n } }],
  ['created[range][from]=7', { created: { range: { from: 7 } } }],
  ['created=7', { created: 7 }],
  ['line_items[0][price]=p&line_items[0][quantity]=2', { line_items: [{ price: 'p', quantity: 2n }] }],
  ['line_items[1][price]=q&line_items[0][price]=p', { line_items: [{ price: 'p' }, { price: 'q' }] }],
  ['line_items[][price]=p&line_items[][quantity]=2', { line_items: [{ price: 'p', quantity: 2n }] }],
  ['line_items[][price]=p&line_items[][price]=q', { line_items: [{ price: 'p' }, { price: 'q' }] }],
  ['line_items[0][price]=p&line_items[0][taxes][]=t', { line_items: [{ price: 'p', taxes: ['t'] }] }],
  ['line_items[0][price]=p&line_items[0][taxes]=t', { line_items: [{ price: 'p', taxes: ['t'] }] }],
  ['metadata[a%20b]=1&metadata[0]=2', { metadata: { 'a b': '1', '0': '2' } }],
  ['metadata[0]=x', { metadata: { '0': 'x' } }],
  ['either[0]=x', { either: ['x'] }],
  ['either[0]=x&either[b]=y', { either: { '0': 'x', b: 'y' } }],
  ['any[a][0]=1&any[b]=2', { any: { a: ['1'], b: '2' } }],
  [
    'tree[and][0][value]=1&tree[and][1][and][0][value]=x',
    { tree: { and: [{ value: 1 }, { and: [{ value: 'x' }] }] } },
  ],
])('%s is read from a query and from a form', async (sent, value) => {
  expect(await query(sent)).toEqual(value);
  expect(await form(sent)).toEqual(value);
});

test.each<[sent: string, message: string]>([
  ['created[range][from]=zz', 'created.range.from must be an integer'],
  ['created=zz', 'created must be'],
  ['metadata=zz', 'metadata must be an object'],
  ['metadata[a][b]=1', 'metadata.a must be a string'],
  ['metadata[]=1', 'metadata must be an object'],
  ['ids[0]=x', 'ids[0] must be an int64'],
  ['ids[0]=1&ids[0]=2', 'ids[0] must be an int64'],
  ['line_items[0][quantity]=2', 'line_items[0].price is required'],
  ['expand=a&expand[]=b', 'expand is sent as expand and as expand[]; send one of them'],
  ['expand[]=a&expand[0]=b', 'expand has both [] and names or numbers in brackets'],
  ['expand[0]=a&expand[b]=c', 'expand must be numbered [0], [1] and so on'],
  ['expand[0]=a&expand[2]=c', 'expand must be numbered [0], [1] and so on'],
  ['expand[00]=a', 'expand must be numbered [0], [1] and so on'],
  ['expand[4294967295]=a', 'expand must be numbered [0], [1] and so on'],
  [
    'created[range]=1&created[range][from]=2',
    'created is sent in one piece and in parts: created[range][from]',
  ],
  ['created[range][from]=2&created[range]=1', 'created is sent in one piece and in parts: created[range]'],
  [
    'line_items[][price]=p&line_items[][price]=q&line_items[][quantity]=1',
    'line_items has items that cannot be told apart',
  ],
  [`any${'[a]'.repeat(11)}=1`, 'any is nested too deeply'],
])('%s is refused', async (sent, message) => {
  const refused = { status: 400, message: expect.stringContaining(message) };
  await expect(query(sent)).rejects.toMatchObject(refused);
  await expect(form(sent)).rejects.toMatchObject(refused);
});

test('names that every object inherits are members like any other', async () => {
  const sent = 'metadata[__proto__]=a&metadata[constructor]=b&any[__proto__][polluted]=c';
  for (const read of [await query(sent), await form(sent)]) {
    const { metadata, any } = Object(read);
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.getOwnPropertyNames(any)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(any)).toBe(Object.prototype);
  }
  expect(Object('polluted' in {})).toEqual(Object(false));
});

test('names without brackets, and undeclared names, are ignored in a query and in a form', async () => {
  const sent = 'expand[a=1&[b]=2&expand[c]d=3&limit[0]=4&other[x]=5&expand[e[f]]=6';
  expect(await query(sent)).toEqual({});
  expect(await form(sent)).toEqual({});
});

test('a declared name that has brackets itself wins', async () => {
  const receive = await receiverFor({
    [FORM]: { schema: object({ filter: { type: 'object' }, 'filter[name]': int64, 'ids[]': list(int64) }) },
  });
  expect(await receive(FORM, 'filter[name]=1&filter[x]=2&ids[]=3&ids[]=4')).toEqual({
    'filter[name]': 1n,
    filter: { x: '2' },
    'ids[]': [3n, 4n],
  });
});

test('the service reads the values that the client writes', async () => {
  const texts = fc.constantFrom('a', 'a b', '[x]', '&=', 'é');
  const values = fc.record({
    metadata: fc.dictionary(fc.constantFrom('a', 'b c', '__proto__', '0'), texts, { minKeys: 1 }),
    line_items: fc.array(
      fc.record({
        price: texts,
        quantity: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        taxes: fc.array(texts, { minLength: 1 }),
      }),
      { minLength: 1 },
    ),
    expand: fc.array(texts, { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const pairs = Object.entries(value).flatMap(([name, each]) =>
        writePairs(name === 'expand' ? {} : { style: 'deepObject' }, name, each),
      );
      expect(await query(pairs.map((pair) => pair.join('=')).join('&'))).toEqual(value);
    }),
    { seed: 41, numRuns: 100 },
  );
});

test('thousands of names with brackets are read in time', async () => {
  const many = Array.from({ length: 5000 }, (_, nth) => nth);
  const forms = [
    many.map((nth) => `line_items[${nth}][price]=p`),
    many.map(() => 'line_items[][price]=p'),
    many.map((nth) => `any[${nth % 50}]${`[${nth % 7}]`.repeat(8)}[${nth}]=p`),
    many.map((nth) => `tree[and][${nth}][value]=${nth}`),
  ];
  const { user, system } = process.cpuUsage();
  for (const each of forms) await form(each.join('&'));
  const spent = process.cpuUsage();
  expect((spent.user + spent.system - user - system) / 1000).toBeLessThan(5000);
});

import { allOperations, type Contract, readContract } from '@trellis/openapi';

/** Reads a contract from files that exist in memory only: texts, or values to write as JSON. */
const contractOf = (files: Readonly<Record<string, unknown>>): Promise<Contract> =>
  readContract(`/${Object.keys(files)[0]}`, async (url) => {
    const content = files[new URL(url).pathname.slice(1)];
    return typeof content === 'string' ? content : JSON.stringify(content);
  });
const servedIn = ({ document }: Contract) =>
  allOperations(document).map(({ operation }) => operation.operationId);

const START = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, security: [] };
const responses = { 204: { description: 'Done' } };
const THING = { type: 'object', properties: { size: { type: 'integer' } } };
const refer = ($ref: string) => ({ $ref });
const operation = (schema: object) => ({
  operationId: 'createThing',
  requestBody: { required: true, content: { 'application/json': { schema } } },
  responses,
});
const NAMED = '#/components/schemas/Thing';

test.each([
  [
    'is of another version',
    { openapi: '2.0' },
    /openapi\.yaml is of OpenAPI 2\.0, which is not served; convert it to 3\.0, 3\.1 or 3\.2$/,
  ],
  [
    'has no version',
    { openapi: null },
    /openapi\.yaml is not an OpenAPI document of version 3\.0, 3\.1 or 3\.2$/,
  ],
])('a document that %s is refused', async (_name, members, reason) => {
  await expect(contractOf({ 'openapi.yaml': { ...START, paths: {}, ...members } })).rejects.toThrow(reason);
});

test('merge keys count', async () => {
  const text = `
openapi: 3.1.0
info: { title: Things, version: "1" }
security: []
paths:
  /things:
    delete: &closed { <<: { security: [{ bearerAuth: [] }], summary: theirs }, operationId: one, summary: own, responses: { default: { description: any } } }
    put: { operationId: other, <<: [*closed, { description: a thing }] }
`;
  const { document } = await contractOf({ 'openapi.yaml': text });
  const theirs = {
    security: [{ bearerAuth: [] }],
    summary: 'own',
    responses: { default: { description: 'any' } },
  };
  expect(document.paths?.['/things']).toMatchObject({
    delete: { ...theirs, operationId: 'one' },
    put: { ...theirs, operationId: 'other', description: 'a thing' },
  });
});

test('where OpenAPI allows references, nothing is noted, and parts have names', async () => {
  const contract = await contractOf({
    'openapi.yaml': {
      ...START,
      paths: { '/things': refer('paths.yaml#/things') },
      components: { schemas: { Thing: refer('models/thing.yaml') } },
    },
    'paths.yaml': { things: { post: operation(refer('models/thing.yaml')) } },
    'models/thing.yaml': {
      ...THING,
      properties: { size: refer('size.yaml#/Size'), parent: refer('thing.yaml') },
    },
    'models/size.yaml': { Size: { type: 'integer' } },
  });
  const { document, notes } = contract;
  expect(notes).toEqual([]);
  expect(document.components?.schemas).toEqual({
    Thing: { type: 'object', properties: { size: refer('#/components/schemas/Size'), parent: refer(NAMED) } },
    Size: { type: 'integer' },
  });
});

test('leaving out a path keeps the parameters that other operations refer to', async () => {
  const contract = await contractOf({
    'openapi.yaml': {
      ...START,
      paths: {
        '/things?view=all': {
          get: {
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            responses,
          },
        },
        '/things/{id}': {
          get: {
            operationId: 'readThing',
            parameters: [refer('#/paths/~1things?view=all/get/parameters/0')],
            responses,
          },
        },
      },
    },
  });
  expect(servedIn(contract)).toEqual(['readThing']);
});

test.each<[what: string, schemas: object]>([
  ['to itself', { A: refer('#/components/schemas/A') }],
  ['to each other', { A: refer('#/components/schemas/B'), B: refer('#/components/schemas/A') }],
  ['to each other through a file', { A: refer('a.yaml') }],
])('an operation whose schema only refers %s is left out', async (_what, schemas) => {
  const contract = await contractOf({
    'openapi.yaml': {
      ...START,
      paths: {
        '/a': { post: operation(refer('#/components/schemas/A')), get: refer('#/paths/~1a/get') },
        '/b': { get: { operationId: 'readB', responses } },
        '/c': refer('#/paths/~1c'),
      },
      components: { schemas },
    },
    'a.yaml': refer('openapi.yaml#/components/schemas/A'),
  });
  expect(servedIn(contract)).toEqual(['readB']);
});

/** Objects that hold each other `levels` times over, nine at a time, by aliases. */
const bomb = (levels: number): string => {
  const aliases = (level: number) => Array.from({ length: 8 }, (_, nth) => `p${nth}: *a${level}`).join(', ');
  let text = '&a0 { type: string }';
  for (let level = 1; level <= levels; level += 1)
    text = `&a${level} { type: object, properties: { first: ${text}, ${aliases(level - 1)} } }`;
  return text;
};
const contractWith = (schema: string): string =>
  `${JSON.stringify({ ...START, paths: {} }).slice(0, -1)}, "x-more": ${schema} }`;

test.each<[what: string, files: Record<string, unknown>, reason: RegExp]>([
  [
    'whose aliases multiply',
    { 'openapi.yaml': contractWith(bomb(30)) },
    /openapi\.yaml cannot be read: it has more than 3000000 values, aliases included$/,
  ],
  [
    'whose aliases multiply in another file',
    {
      'openapi.yaml': { ...START, paths: { '/a': { post: operation(refer('bomb.yaml')) } } },
      'bomb.yaml': bomb(30),
    },
    /bomb\.yaml cannot be read: it has more than 3000000 values, aliases included$/,
  ],
  [
    'with an alias of what holds it',
    { 'openapi.yaml': contractWith('&a [*a]') },
    /openapi\.yaml cannot be read: it is nested deeper than 200 levels$/,
  ],
  [
    'nested too deep',
    { 'openapi.yaml': contractWith('['.repeat(100_000) + ']'.repeat(100_000)) },
    /openapi\.yaml cannot be read: it is nested deeper than 200 levels$/,
  ],
  [
    'nested too deep by aliases',
    {
      'openapi.yaml': contractWith(
        `[${['&a0 []', ...Array.from({ length: 300 }, (_, nth) => `&a${nth + 1} [*a${nth}]`)].join(', ')}]`,
      ),
    },
    /openapi\.yaml cannot be read: it is nested deeper than 200 levels$/,
  ],
  [
    'that is not YAML',
    { 'openapi.yaml': 'openapi: 3.1.0\ninfo: [' },
    /openapi\.yaml:\d+:\d+ is not valid YAML: [^\n]+$/,
  ],
])('a contract %s is refused in one line', async (_what, files, reason) => {
  const error: unknown = await contractOf(files).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  expect(error).toMatchObject({ message: expect.not.stringContaining('\n') });
});

test('anchors and aliases that honest people write are read', async () => {
  const shared = Array.from({ length: 1000 }, (_, nth) => `"/a${nth}": *item`).join(', ');
  const contract = await contractOf({
    'openapi.yaml': `openapi: 3.1.0
info: { title: Things, version: "1" }
security: []
x-item: &item { get: { responses: { 200: { description: A page } } } }
paths: { ${shared} }`,
  });
  expect(Object.keys(contract.document.paths ?? {})).toHaveLength(1000);
});

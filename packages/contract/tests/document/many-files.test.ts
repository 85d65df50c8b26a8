import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { createContract } from '../../../contract-tests/src/document/contract.ts';
import { operationsOf } from '../../../contract-tests/src/document/operations.ts';
import { readSources } from '../../../contract-tests/src/document/sources.ts';
import { loadDocument, readContract } from '../../../openapi/src/files/load.ts';
import { compileOperations } from '../operations.ts';
import { decodeBody, jsonBody } from '../things.ts';

const makeFolder = temporaryFolders();

/** Writes the files of a contract, and gives the path of the first. */
const write = async (files: Readonly<Record<string, unknown>>): Promise<string> => {
  const folder = await makeFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return join(folder, Object.keys(files)[0] ?? '');
};

const START = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, security: [] };
const responses = { 204: { description: 'Done' } };
const THING = { type: 'object', properties: { size: { type: 'integer' } } };
const refer = ($ref: string) => ({ $ref });
const operation = (schema: object) => ({
  operationId: 'createThing',
  requestBody: jsonBody(schema),
  responses,
});
const NAMED = '#/components/schemas/Thing';

test.each<[place: string, files: Record<string, unknown>]>([
  [
    'of an operation',
    {
      'openapi.yaml': { ...START, paths: { '/things': { post: refer('resources/create.yml') } } },
      'resources/create.yml': operation(refer('../models/thing.yml')),
      'models/thing.yml': THING,
    },
  ],
  [
    'of an operation, in a path item of another file',
    {
      'openapi.yaml': { ...START, paths: { '/things': refer('paths/things.yaml') } },
      'paths/things.yaml': { post: refer('create.yaml#/create') },
      'paths/create.yaml': { create: operation(refer('#/Thing')), Thing: THING },
    },
  ],
  [
    'of all schemas',
    {
      'openapi.yaml': {
        ...START,
        paths: { '/things': { post: operation(refer(NAMED)) } },
        components: { schemas: refer('schemas/index.yaml') },
      },
      'schemas/index.yaml': { Thing: refer('thing.yaml'), default: refer('thing.yaml') },
      'schemas/thing.yaml': THING,
    },
  ],
  [
    'of all components',
    {
      'openapi.yaml': {
        ...START,
        paths: { '/things': { post: operation(refer(NAMED)) } },
        components: refer('components.yaml'),
      },
      'components.yaml': { schemas: { Thing: THING } },
    },
  ],
  [
    'of all paths',
    {
      'openapi.yaml': { ...START, paths: refer('paths.yaml') },
      'paths.yaml': { '/things': { post: operation(THING) } },
    },
  ],
  [
    'of properties, with a keyword as the name of a property',
    {
      'openapi.yaml': {
        ...START,
        paths: { '/things': { post: operation({ type: 'object', properties: refer('parts/all.yaml') }) } },
      },
      'parts/all.yaml': { size: refer('size.yaml'), default: refer('size.yaml'), value: refer('size.yaml') },
      'parts/size.yaml': { type: 'integer' },
    },
  ],
  [
    'of bodies, responses and parameters',
    {
      'openapi.yaml': {
        ...START,
        paths: {
          '/things': {
            post: {
              operationId: 'createThing',
              parameters: refer('parts.yaml#/parameters'),
              requestBody: { content: refer('parts.yaml#/content') },
              responses: refer('parts.yaml#/responses'),
            },
          },
        },
      },
      'parts.yaml': {
        parameters: [{ name: 'a', in: 'query', schema: {} }],
        content: { 'application/json': refer('parts.yaml#/mediaType') },
        mediaType: { schema: THING },
        responses,
      },
    },
  ],
  [
    'of what only people read',
    {
      'openapi.yaml': {
        ...START,
        info: refer('info.yaml'),
        tags: [{ name: 'a', description: refer('texts.yaml#/a') }],
        paths: { '/things': { post: operation(THING) } },
      },
      'info.yaml': START.info,
      'texts.yaml': { a: 'A text' },
    },
  ],
])('a reference in place %s is served, tested, and noted', async (_place, files) => {
  const file = await write(files);
  const { document, notes } = await readContract(file);
  const [compiled] = await compileOperations(document, { checkReplies: true });
  expect(compiled?.id).toBe('createThing');
  expect(compiled && decodeBody(compiled, '{"size":1}')).toEqual({ size: 1 });
  expect(() => compiled && decodeBody(compiled, '{"size":"a"}')).toThrow('body.size must be an integer');
  expect(notes.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^OpenAPI allows no `\$ref` here; its target is served/),
  );
  const contract = createContract(await readSources(file));
  const [tested] = operationsOf(contract);
  const schema = tested?.body?.contents[0]?.schema ?? true;
  expect([tested?.id, contract.request.accepts(schema, { size: 'a' })]).toEqual(['createThing', false]);
});

test('where OpenAPI allows references, nothing is noted, and parts have names', async () => {
  const file = await write({
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
  const { document, notes } = await readContract(file);
  expect(notes).toEqual([]);
  expect(document.components?.schemas).toEqual({
    Thing: { type: 'object', properties: { size: refer('#/components/schemas/Size'), parent: refer(NAMED) } },
    Size: { type: 'integer' },
  });
});

test('leaving out a path keeps the parameters that other operations refer to', async () => {
  const file = await write({
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
  const operations = await compileOperations(await loadDocument(file), { checkReplies: true });
  expect(operations.map(({ id }) => id)).toEqual(['readThing']);
  expect(operationsOf(createContract(await readSources(file))).map(({ id }) => id)).toEqual(['readThing']);
});

test('the contract tests add an undeclared path parameter, as the service does', async () => {
  const file = await write({
    'openapi.yaml': {
      ...START,
      paths: { '/things/{id}': { post: operation(refer('thing.yaml')) } },
    },
    'thing.yaml': THING,
  });
  const [tested] = operationsOf(createContract(await readSources(file)));
  expect(tested?.parameters.map(({ in: place, name }) => [place, name])).toEqual([['path', 'id']]);
});

test.each<[what: string, schemas: object]>([
  ['to itself', { A: refer('#/components/schemas/A') }],
  ['to each other', { A: refer('#/components/schemas/B'), B: refer('#/components/schemas/A') }],
  ['to each other through a file', { A: refer('a.yaml') }],
])('an operation whose schema only refers %s is left out', async (_what, schemas) => {
  const file = await write({
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
  const operations = await compileOperations(await loadDocument(file), { checkReplies: true });
  expect(operations.map(({ id }) => id)).toEqual(['readB']);
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
  const error: unknown = await readContract(await write(files)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  expect(error).toMatchObject({ message: expect.not.stringContaining('\n') });
});

test('anchors and aliases that honest people write are read', async () => {
  const shared = Array.from({ length: 1000 }, (_, nth) => `"/a${nth}": *item`).join(', ');
  const file = await write({
    'openapi.yaml': `openapi: 3.1.0
info: { title: Things, version: "1" }
security: []
x-item: &item { get: { responses: { 200: { description: A page } } } }
paths: { ${shared} }`,
  });
  expect(Object.keys((await loadDocument(file)).paths ?? {})).toHaveLength(1000);
});

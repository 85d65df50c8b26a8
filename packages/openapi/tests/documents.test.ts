import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDocument, readContract } from '@trellis/openapi';
import { operationIdOf, operationsIn, rewriteSchemas } from '@trellis/openapi/internal/document';
import { temporaryFolders } from '@trellis/test-support/temporary';

const newFolder = temporaryFolders();
const HEAD = { openapi: '3.1.0', info: { title: 'Things', version: '1' } };

/** Writes files by name, and gives the path of the first. */
const write = async (files: Record<string, unknown>): Promise<string> => {
  const folder = await newFolder();
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, Object.keys(files)[0] ?? '');
};

const get = { security: [], responses: { 200: { description: '' } } };

test('upgrades OpenAPI 3.0 to 3.1', async () => {
  const schemas = { Name: { type: 'string', nullable: true }, Size: { minimum: 1, exclusiveMinimum: true } };
  const file = await write({
    'a.json': { ...HEAD, openapi: '3.0.3', paths: { '/a': { get } }, components: { schemas } },
  });
  const document = await loadDocument(file);
  expect(document.openapi).toBe('3.1.0');
  expect(document.components?.schemas).toEqual({
    Name: { type: ['string', 'null'] },
    Size: { exclusiveMinimum: 1 },
  });
});

test('integers of YAML and JSON keep every digit', async () => {
  const yaml = `openapi: 3.1.0
info: { title: Things, version: '1' }
paths: {}
components: { schemas: { Id: { const: 9007199254740993 }, Few: { const: 7 } } }
`;
  const json = JSON.stringify({ ...HEAD, paths: {}, components: { schemas: { Id: { const: '!' } } } });
  for (const file of [
    await write({ 'a.yaml': yaml }),
    await write({ 'a.json': json.replace('"!"', '9007199254740993') }),
  ])
    expect((await loadDocument(file)).components?.schemas?.Id).toEqual({ const: 9007199254740993n });
});

test('files become one document, and references lead into it', async () => {
  const file = await write({
    'openapi.yaml': { ...HEAD, paths: { '/a': { $ref: 'a.yaml' } } },
    'a.yaml': { get: { ...get, responses: { 200: { $ref: 'replies.json#/Fine' } } } },
    'replies.json': { Fine: { description: 'Fine' } },
  });
  const { document, texts, notes, missing } = await readContract(file);
  expect(JSON.stringify(document)).not.toMatch(/\.(?:yaml|json)/);
  expect(document.components?.responses?.Fine).toEqual({ description: 'Fine' });
  expect([...texts.keys()].map((url) => url.split('/').at(-1))).toEqual([
    'openapi.yaml',
    'a.yaml',
    'replies.json',
  ]);
  expect({ notes, missing }).toEqual({ notes: [], missing: [] });
});

test('a part that cannot be served is left out, with a note on the place and the reason', async () => {
  const broken = { ...get, responses: { 200: { $ref: '#/components/responses/Lost' } } };
  const file = await write({ 'a.json': { ...HEAD, paths: { '/a': { get }, '/b': { get: broken } } } });
  const { document, notes } = await readContract(file);
  expect(operationsIn(document.paths?.['/a'])).toHaveLength(1);
  expect(operationsIn(document.paths?.['/b'])).toEqual([]);
  expect(notes.map(({ pointer, message }) => [pointer, message])).toEqual([
    ['/paths/~1b/get/responses/200/$ref', 'does not resolve; correct the reference, or add its target'],
    ['/paths/~1b/get', 'is left out: it needs a reference that does not resolve'],
  ]);
});

test('paths and keywords that are served otherwise than written have notes', async () => {
  const paths = ['/a#b', '/a?b', 'a', '/%7Bid%7D', '/x y', '/x%20y', '/fine'];
  const schemas = { A: { $recursiveRef: '#' }, B: JSON.parse('{"properties":{"__proto__":{}}}') };
  const file = await write({
    'a.json': JSON.stringify({
      ...HEAD,
      paths: Object.fromEntries(paths.map((path) => [path, { get }])),
      components: { schemas },
    }),
  });
  const { document, notes } = await readContract(file);
  const served = Object.entries(document.paths ?? {}).filter(([, item]) => operationsIn(item).length > 0);
  expect(served.map(([path]) => path)).toEqual(['/%7Bid%7D', '/x y', '/fine']);
  expect(notes.map(({ pointer, message }) => [pointer, message.split(/[:;,]/)[0]])).toEqual([
    ['/components/schemas/A/$recursiveRef', '`$recursiveRef` is ignored'],
    ['/components/schemas/B/properties/__proto__', 'a property `__proto__` is not checked'],
    ['/paths/~1a#b', 'is left out'],
    ['/paths/~1a?b', 'is left out'],
    ['/paths/a', 'is left out'],
    ['/paths/~1%7Bid%7D', 'has braces as text'],
    ['/paths/~1x%20y/get', 'is left out'],
  ]);
});

test('components may have names that objects inherit', async () => {
  const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const names = ['__proto__', 'constructor', 'toString'];
  const content = { 'application/json': { schema: schema('__proto__') } };
  const post = { ...get, requestBody: { content } };
  const other = {
    ...get,
    requestBody: { content: { 'application/json': { schema: { $ref: 'b.json#/__proto__' } } } },
  };
  const file = await write({
    'a.json': {
      ...HEAD,
      paths: { '/a': { post }, '/b': { post: other } },
      components: { schemas: Object.fromEntries(names.map((name) => [name, { items: schema('toString') }])) },
    },
    'b.json': '{"__proto__":{"type":"string"}}',
  });
  const { document, notes } = await readContract(file);
  expect(notes).toEqual([]);
  expect(Object.keys(document.components?.schemas ?? {})).toEqual([...names, '__proto__2']);
  expect(Object.entries(document.components?.schemas ?? {}).at(-1)).toEqual([
    '__proto__2',
    { type: 'string' },
  ]);
});

test('an operation needs a header or a member called links, and does without its links and examples', async () => {
  const lost = { $ref: 'lost.json' };
  const answer = (response: object) => ({
    get: { ...get, responses: { 200: { description: '', ...response } } },
  });
  const json = (content: object) => answer({ content: { 'application/json': content } });
  const paths = {
    '/header': answer({ headers: { links: { schema: lost } } }),
    '/member': json({ schema: { properties: { links: { items: lost } } } }),
    '/members': json({ schema: { patternProperties: { links: { items: lost } } } }),
    '/links': answer({ links: { next: lost } }),
    '/examples': json({ examples: { one: lost } }),
  };
  const { document } = await readContract(await write({ 'a.json': { ...HEAD, paths } }));
  const served = Object.entries(document.paths ?? {}).filter(([, item]) => operationsIn(item).length > 0);
  expect(served.map(([path]) => path)).toEqual(['/links', '/examples']);
});

test('whatever a schema refers to is a component', async () => {
  const refer = ($ref: string) => ({ $ref });
  const schemas = {
    Named: { type: 'object', properties: { size: { type: 'integer' }, list: { items: { minimum: 0 } } } },
    Size: refer('#/components/schemas/Named/properties/size'),
    Item: { allOf: [refer('#/components/schemas/Named/properties/list/items'), refer('#/x-mine/Cat')] },
    Cat: refer('#/x-mine/Cat'),
    Pet: {
      oneOf: [refer('#/components/schemas/Cat')],
      discriminator: { propertyName: 'kind', defaultMapping: 'b.json#/Dog' },
    },
  };
  const [first, openapi] = ['a.json', '3.2.0'];
  const mine = { 'x-mine': { Cat: { type: 'object', minLength: 'none' } } };
  const file = await write({
    [first]: { ...HEAD, openapi, paths: { '/a': { get } }, components: { schemas }, ...mine },
    'b.json': { Dog: { type: 'object' } },
  });
  const { document, notes } = await readContract(file);
  expect(document.components?.schemas).toMatchObject({
    Size: schemas.Named.properties.size,
    Item: { allOf: [refer('#/components/schemas/items'), refer('#/components/schemas/Cat')] },
    items: { minimum: 0 },
    Cat: { type: 'object' },
    Dog: { type: 'object' },
  });
  expect(notes.map(({ pointer }) => pointer)).toEqual(['/components/schemas/Cat/minLength']);
});

test('itemSchema describes the items of a list whose schema has no items; a note names unserved features', async () => {
  const item = { type: 'integer' };
  const open = { schema: { type: 'array', maxItems: 3 }, itemSchema: item };
  const closed = { schema: { type: 'array', items: {} }, itemSchema: item };
  const content = {
    'application/jsonl': open,
    'multipart/mixed': { ...open, itemEncoding: { encoding: {}, contentType: 'multipart/mixed' } },
    'application/json-seq': closed,
    'multipart/related': closed,
    'multipart/form-data': { schema: {}, itemEncoding: {} },
  };
  const post = { ...get, requestBody: { content } };
  const file = await write({ 'a.json': { ...HEAD, openapi: '3.2.0', paths: { '/a': { post } } } });
  const { document, notes } = await readContract(file);
  const read = Object(document.paths?.['/a']?.post?.requestBody).content;
  const list = { type: 'array', maxItems: 3, items: item };
  expect([read['application/jsonl'].schema, read['multipart/mixed'].schema]).toEqual([list, list]);
  const why = (key: string, what: string) =>
    `\`${key}\` of OpenAPI 3.2 is not served here: the ${what} is checked by its schema alone`;
  expect(notes.map(({ pointer, message }) => [pointer.split('/content/')[1], message])).toEqual([
    ['multipart~1mixed/itemEncoding/encoding', why('encoding', 'part')],
    ['application~1json-seq/itemSchema', why('itemSchema', 'body')],
    ['multipart~1related/itemSchema', why('itemSchema', 'body')],
    ['multipart~1form-data/itemEncoding', why('itemEncoding', 'body')],
  ]);
});

test.each([
  [
    'a document of Swagger 2',
    { 'a.json': { swagger: '2.0' } },
    /a\.json is of OpenAPI 2\.0, which is not served; convert it to 3\.0, 3\.1 or 3\.2$/,
  ],
  ['invalid YAML', { 'a.yaml': 'openapi: [' }, /a\.yaml:\d+:\d+ is not valid YAML/],
  [
    'a name with half a surrogate pair, of an entry with a reference',
    {
      'a.json': { ...HEAD, components: { schemas: { A: {}, '\ud800': { $ref: '#/components/schemas/A' } } } },
    },
    /a\.json cannot be read: the name "\\ud800" holds half a character; write it in valid Unicode$/,
  ],
  [
    'an endless alias',
    { 'a.yaml': 'openapi: 3.1.0\nx-a: &a [*a]' },
    /is nested deeper than 200 levels|is not valid/,
  ],
])('%s is refused in a line that says why', async (_what, files, reason) => {
  await expect(loadDocument(await write(files))).rejects.toThrow(reason);
});

test('aliases that stand for more than fits are refused at once', async () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const below = level === 0 ? '1' : `*a${level - 1}`;
    return `x-a${level}: &a${level} [${Array.from({ length: 9 }, () => below).join(', ')}]`;
  });
  const file = await write({ 'a.yaml': ['openapi: 3.1.0', ...levels].join('\n') });
  await expect(loadDocument(file)).rejects.toThrow('it has more than 3000000 values, aliases included');
});

test('children that extend a base have it without its union', async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const own = { type: 'object', properties: { kind: { type: 'string' } } };
  const union = { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } };
  const Cat = { allOf: [ref('Pet'), { properties: { lives: { type: 'integer' } } }] };
  const beside = { properties: { barks: { type: 'boolean' } } };
  const Dog = { allOf: [{ ...ref('Pet'), ...beside }] };
  const Guest = { allOf: [ref('Pet')] };
  const schemas = { Pet: { ...own, ...union }, Cat, Dog, Guest };
  const document = await loadDocument(
    await write({ 'a.json': { ...HEAD, paths: {}, components: { schemas } } }),
  );
  expect(document.components?.schemas).toEqual({
    Pet: { ...own, ...union },
    Cat: { allOf: [own, { properties: { lives: { type: 'integer' } } }] },
    Dog: { allOf: [{ allOf: [own, beside] }] },
    Guest,
  });
});

test('the references of a file are relative to its $self, and lead to files beside it', async () => {
  const self = 'https://things.example/v1/a.json';
  const answer = (ref: string) => ({
    responses: { 200: { description: '', content: { 'application/json': { schema: { $ref: ref } } } } },
  });
  const refs = [`${self}#/components/schemas/A`, 'https://things.example/v1/b.json#/B', './b.json#/B'];
  const paths = Object.fromEntries(refs.map((ref, nth) => [`/${nth}`, { get: answer(ref) }]));
  const root = { ...HEAD, openapi: '3.2.0', $self: self, paths, components: { schemas: { A: {} } } };
  const b = { $self: 'https://things.example/v1/b', B: { $ref: 'a.json#/components/schemas/A' } };
  const { document, notes, missing } = await readContract(await write({ 'a.json': root, 'b.json': b }));
  expect(missing).toEqual([]);
  expect(notes.filter(({ message }) => message.includes('does not resolve'))).toEqual([]);
  expect(Object.keys(document.paths ?? {})).toHaveLength(refs.length);
  expect(document.components?.schemas).toEqual({ A: {}, B: { $ref: '#/components/schemas/A' } });
});

test('a reference leads to an anchor in another file', async () => {
  const schemas = { A: { properties: { b: { $ref: 'b.yaml#b' } } } };
  const file = await write({
    'a.json': { ...HEAD, paths: { '/a': { get } }, components: { schemas } },
    'b.yaml': { B: { $anchor: 'b', type: 'integer' } },
  });
  const { document, notes } = await readContract(file);
  expect(notes).toEqual([]);
  expect(document.components?.schemas?.B).toEqual({ type: 'integer' });
});

test('an operation without an operationId is named by its method and path', () => {
  expect(operationIdOf({ method: 'get', path: '/things/{id}' })).toBe('getThingsById');
  expect(operationIdOf({ operationId: 'readThing', method: 'get', path: '/things/{id}' })).toBe('readThing');
});

test('rewriting visits schemas, not data, and shares what stays the same', () => {
  const document = {
    paths: { '/a': { get } },
    components: { schemas: { A: { const: { type: 'data' } }, B: { items: { type: 'string' } } } },
  };
  const seen: string[] = [];
  const same = rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    if (isSchema) seen.push(pointer);
    return object;
  });
  expect(same).toBe(document);
  expect(seen).toEqual(['/components/schemas/A', '/components/schemas/B/items', '/components/schemas/B']);
});

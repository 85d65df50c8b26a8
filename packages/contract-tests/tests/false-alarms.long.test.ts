import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stub } from '../../contract/src/reply/stub.ts';
import { loadDocument } from '../../openapi/src/files/load.ts';
import { serveDocument, type TestHandlers } from '../../server/tests/support/serve.ts';
import { run } from './run.ts';
import { serve } from './serve.ts';
import { temporaryFolders } from './temporary.ts';

const newFolder = temporaryFolders();

/** Checks a service of one operation, which is a stub unless it has a handler. */
const check = async (operation: object, more: object = {}, handlers: TestHandlers = { readThing: stub }) => {
  const file = join(await newFolder(), 'openapi.yaml');
  const paths = { '/things': { get: { operationId: 'readThing', ...operation } } };
  const document = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths, ...more };
  await writeFile(file, JSON.stringify(document));
  const service = await serveDocument({ document: await loadDocument(file), handlers, answerStubs: true });
  const result = await run({ spec: file, requests: 3, url: service.url });
  await service.close();
  return result;
};

const answer = (schema: unknown, mediaType = 'application/json', more: object = {}) => ({
  responses: { 200: { description: '', content: { [mediaType]: { schema, ...more } } } },
});

const shape = (kind: object) => ({ type: 'object', required: ['kind'], properties: { kind } });
const SHAPES = {
  components: {
    schemas: { Circle: shape({ const: 'round' }), Square: shape({ enum: ['angular'] }), Line: shape({}) },
  },
};
const UNION = {
  oneOf: ['Circle', 'Square', 'Line'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  discriminator: { propertyName: 'kind' },
};

test.each(['round', 'angular', 'Line'])(
  'a discriminator may have the value %s, which its branch names',
  async (kind) => {
    const { failures } = await check(answer(UNION), SHAPES, {
      readThing: async () => ({ status: 200, body: { kind } }),
    });
    expect(failures).toBe(0);
  },
);

test('a stub may send a relative reference where the contract gives it as an example of a URL; a service may not', async () => {
  const url = { type: 'string', format: 'uri', example: '/things/7' };
  const operation = answer({ type: 'object', properties: { url } });
  expect(await check(operation)).toMatchObject({ failures: 0 });
  const body = { url: '/things/7' };
  const ofService = await check(operation, {}, { readThing: async () => ({ status: 200, body }) });
  expect(ofService.text).toContain('the body/url must match format "uri"');
});

test('the name of a schema is no value of its discriminator where the schema has a constant', async () => {
  const { failures, text } = await check(answer(UNION), SHAPES, {
    readThing: async () => ({ status: 200, body: { kind: 'Circle' } }),
  });
  expect(failures).toBe(1);
  expect(text).toContain('the body must match exactly one schema in oneOf');
});

test('a request that names a subtype of its base fits that subtype, and a reply need not', async () => {
  const kind = { type: 'string', enum: ['Fish', 'Bird', 'dragon'] };
  const extending = (properties: object) => ({
    allOf: [
      { $ref: '#/components/schemas/Animal' },
      { type: 'object', required: Object.keys(properties), properties },
    ],
  });
  const schemas = {
    Animal: { ...shape(kind), discriminator: { propertyName: 'kind', mapping: { dragon: 'Dragon' } } },
    Fish: extending({ fins: { type: 'integer', format: 'int64' } }),
    Bird: extending({ wings: { type: 'integer' } }),
    Eagle: { allOf: [{ $ref: '#/components/schemas/Bird' }, { type: 'object', properties: { prey: {} } }] },
    Dragon: {
      $ref: '#/components/schemas/Animal',
      properties: { fire: { type: 'boolean' } },
      required: ['fire'],
    },
  };
  const animal = { $ref: '#/components/schemas/Animal' };
  const requestBody = { required: true, content: { 'application/json': { schema: animal } } };
  const received: unknown[] = [];
  const { failures, text } = await check(
    {},
    {
      paths: { '/things': { post: { operationId: 'addThing', requestBody, ...answer(animal) } } },
      components: { schemas },
    },
    {
      addThing: async ({ body }: { readonly body: unknown }) => {
        received.push(body);
        return { status: 200, body: { kind: 'Fish' } };
      },
    },
  );
  expect(failures > 0 ? text : '').toBe('');
  expect(received).toContainEqual({ kind: 'Fish', fins: expect.any(BigInt) });
  expect(received).toContainEqual({ kind: 'Bird', wings: expect.any(Number) });
  expect(received).toContainEqual({ kind: 'dragon', fire: expect.any(Boolean) });
});

test('what looks like a reference in an extension or in data is not followed', async () => {
  const elsewhere = { $ref: './nowhere.md' };
  const schema = {
    type: 'object',
    properties: { $ref: { type: 'string' } },
    default: elsewhere,
    examples: [elsewhere],
  };
  const operation = answer(schema, 'application/json', { examples: { one: { value: elsewhere } } });
  const { failures, text } = await check(operation, { 'x-topics': [{ content: elsewhere }] });
  expect(text).not.toContain('note');
  expect(failures).toBe(0);
});

test('a stub without a success is a note, not a failure', async () => {
  const { failures, text } = await check({ responses: { 400: { description: '' } } });
  expect(failures).toBe(0);
  expect(text).toContain('note  readThing: no valid request got more than 400');
});

test('an operation whose credentials cannot be sent is left out, with a note', async () => {
  const certificate = { components: { securitySchemes: { certificate: { type: 'mutualTLS' } } } };
  const { failures, text } = await check({ security: [{ certificate: [] }], ...answer({}) }, certificate);
  expect(failures).toBe(0);
  expect(text).toContain('note  readThing: is left out, because this command cannot send the credentials');
});

test('a pattern that is valid only without the flag u is matched as the service matches it', async () => {
  const name = { type: 'string', pattern: '^[\\w-.]{1,9}$' };
  const parameters = [{ name: 'name', in: 'query', required: true, schema: name }];
  const { failures, text } = await check({ parameters, ...answer(name) });
  expect(text).not.toContain('cannot be checked');
  expect(failures).toBe(0);
});

test('an operation that declares no response may answer any success', async () => {
  const { failures, text } = await check({});
  expect(failures).toBe(0);
  expect(text).not.toContain('note');
});

test('a handler that answers 400 to a valid request fails, as ever', async () => {
  const { failures } = await check(
    { responses: { 400: { description: '' } } },
    {},
    {
      readThing: async () => ({ status: 400 }),
    },
  );
  expect(failures).toBe(1);
});

test('an example that does not fit is a note about the contract, not a failure of the service', async () => {
  const { failures, text } = await check(answer({ type: 'integer' }, 'application/json', { example: 'one' }));
  expect(failures).toBe(0);
  expect(text).toContain(
    'note  readThing: the example example of response 200 does not fit: must be integer',
  );
});

test('a text in place of an object is not judged by the schema of the object', async () => {
  const { failures } = await check(answer({ type: 'object', required: ['a'] }, 'text/event-stream'));
  expect(failures).toBe(0);
});

test('a text is read as the number that its schema wants', async () => {
  expect((await check(answer({ type: 'integer', minimum: 4 }, 'text/plain'))).failures).toBe(0);
});

test('headers that only the server can say are not missed', async () => {
  const headers = { 'Content-Encoding': { required: true, schema: { const: 'gzip' } } };
  const { failures } = await check({ responses: { 200: { description: '', headers } } });
  expect(failures).toBe(0);
});

test('a stub of a schema that contradicts itself is a note, not a failure', async () => {
  const { failures, text } = await check(answer({ type: 'integer', minimum: 2, maximum: 1 }));
  expect(failures).toBe(0);
  expect(text).toContain('note  readThing: answers 501, which it does not declare');
});

test('an operation that no valid request can be made for is a note, not a failure', async () => {
  const schema = { type: 'integer', minimum: 2, maximum: 1 };
  const { failures, text } = await check({
    ...answer({ type: 'integer' }),
    parameters: [{ name: 'size', in: 'query', required: true, schema }],
  });
  expect(failures).toBe(0);
  expect(text).toContain('note  readThing: cannot be checked: no value can be generated');
});

test('a service may fill in the default of a required parameter', async () => {
  const parameters = [{ name: 'size', in: 'query', required: true, schema: { type: 'integer', default: 1 } }];
  expect((await check({ ...answer({ type: 'integer' }), parameters })).failures).toBe(0);
});

const SALE = { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } };
const WHOLE = { type: 'array', items: { type: 'object', required: ['data'], properties: { data: SALE } } };

test.each<[mediaType: string, schema: object, wrap: boolean]>([
  ['text/event-stream', SALE, true],
  ['text/event-stream', WHOLE, true],
  ['application/jsonl', SALE, false],
  ['application/json-seq', { type: 'array', items: SALE }, false],
])('a stream of %s is read item by item, from a service and from a stub', async (mediaType, schema, wrap) => {
  const items = [{ id: 1n }, { id: 9007199254740993n }, { id: '3' }];
  const streams = (some: typeof items) => ({
    readThing: async () => ({
      status: 200,
      body: (async function* () {
        for (const item of some) yield wrap ? { data: item } : item;
      })(),
    }),
  });
  const right = await check(answer(schema, mediaType), {}, streams(items.slice(0, 2)));
  expect(right.text).toMatch(/note {2}readThing: (\d+) items of \d+ streams were read; 0 had not ended/);
  expect(right.failures).toBe(0);
  const wrong = await check(answer(schema, mediaType), {}, streams(items));
  expect(wrong.text).toMatch(/readThing: valid request: item 3 of the stream(\/data)?\/id must be integer/);
  expect((await check(answer(schema, mediaType))).failures).toBe(0);
});

test('the items that `contains` accepts are evaluated', async () => {
  const schema = {
    allOf: [{ contains: { type: 'integer' } }, { contains: { type: 'string' } }],
    unevaluatedItems: false,
  };
  const { failures } = await check(
    answer(schema),
    {},
    { readThing: async () => ({ status: 200, body: [1, 'one'] }) },
  );
  expect(failures).toBe(0);
});

/** The same for an operation that has a body. */
const checkBody = (mediaType: string, schema: object) =>
  check(
    {},
    {
      paths: {
        '/things': {
          post: {
            operationId: 'readThing',
            requestBody: { content: { [mediaType]: { schema } } },
            responses: { 200: { description: '' } },
          },
        },
      },
    },
  );

test.each(['application/x-msgpack', 'application/octet-stream', 'application/json', 'text/plain'])(
  'a body of %s that is not required may be left out',
  async (mediaType) => {
    const { failures } = await checkBody(mediaType, { type: 'string' });
    expect(failures).toBe(0);
  },
);

test('a form whose exploded object has a member named like its neighbour is not sent', async () => {
  const { failures } = await checkBody('application/x-www-form-urlencoded', {
    type: 'object',
    properties: {
      name: { type: 'string' },
      labels: { type: 'object', required: ['name'], properties: { name: {} } },
    },
  });
  expect(failures).toBe(0);
});

test('a wrong path parameter is not one that a neighbour in its segment would share', async () => {
  const named = (name: string, type: string) => ({ name, in: 'path', required: true, schema: { type } });
  const operation = { operationId: 'readThing', ...answer({}) };
  const parameters = [named('id', 'integer'), named('format', 'string')];
  const { failures, text } = await check(
    {},
    { paths: { '/things/{id}.{format}': { parameters, get: operation } } },
  );
  expect(text).toContain('all operations');
  expect(failures).toBe(0);
});

test('a wrong path parameter is not sent if the path then matches another path of the contract', async () => {
  const slug = { name: 'slug', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z]+$' } };
  const type = { name: 'type', in: 'path', required: true, schema: { enum: ['json'] } };
  const responses = { 204: { description: '' }, 400: { description: '' }, 405: { description: '' } };
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes/{slug}': { delete: { operationId: 'deleteNote', parameters: [slug], responses } },
      '/notes/{slug}.{type}': { get: { operationId: 'readNote', parameters: [slug, type], responses } },
    },
  };
  const { url, close } = await serve(({ method, url = '' }, response) => {
    const isFile = url.includes('.');
    const allow = isFile ? 'GET' : 'DELETE';
    const isRight = (isFile ? /^\/notes\/[a-z]+\.json$/ : /^\/notes\/[a-z]+$/).test(url);
    if (method !== allow) response.writeHead(405, { allow }).end();
    else response.writeHead(isRight ? 204 : 400).end();
  });
  const { failures } = await run({ spec, requests: 10, url, phases: ['parameters'] });
  await close();
  expect(failures).toBe(0);
});

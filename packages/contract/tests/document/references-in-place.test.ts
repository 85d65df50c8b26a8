import { contractOf, jsonBody, START } from '../support/documents.ts';
import { read, serve } from '../support/serve.ts';

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
])('a reference in place %s is served, and noted', async (_place, files) => {
  const { document, notes } = await contractOf(files);
  const { send } = await serve(document, { createThing: async () => ({ status: 204 }) });
  const post = (body: string) =>
    send('/things', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect((await post('{"size":1}')).status).toBe(204);
  expect(await read(post('{"size":"a"}'))).toMatchObject({
    status: 400,
    body: { message: 'body.size must be an integer' },
  });
  expect(notes.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^OpenAPI allows no `\$ref` here; its target is served/),
  );
});

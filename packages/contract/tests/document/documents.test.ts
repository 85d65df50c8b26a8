import { createContract } from '@trellis/contract';
import { contractOf, documentOf, jsonBody, START } from '../support/documents.ts';
import { serve } from '../support/serve.ts';

const done = async () => ({ status: 204 });
const responses = { 204: { description: '' } };

/** Bodies of POST /a, as its handler gets them, of a contract in several files. */
const decoderOf = async (files: Readonly<Record<string, unknown>>) => {
  const received: unknown[] = [];
  const createA = async ({ body }: { body: unknown }) => {
    received.push(body);
    return { status: 204 };
  };
  const { send } = await serve((await contractOf(files)).document, { createA });
  return async (body: string) => {
    const reply = await send('/a', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return reply.status === 204 ? received.at(-1) : Object(await reply.json()).message;
  };
};
const postA = (schema: object) => ({
  ...START,
  paths: { '/a': { post: { operationId: 'createA', requestBody: jsonBody(schema), responses } } },
});

test('a document without paths serves nothing', async () => {
  const { send } = await serve(await documentOf({ paths: null }), {});
  expect((await send('/')).status).toBe(404);
});

test('operations inherit the security of the document, and are found behind references', async () => {
  const document = await documentOf({
    security: [{ key: [] }],
    paths: {
      '/a': { $ref: '#/components/pathItems/A' },
      '/b': { get: { operationId: 'readB', security: [], responses }, summary: 'not a method' },
    },
    components: {
      pathItems: { A: { get: { operationId: 'readA', responses } } },
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'key' } },
    },
  });
  const authenticators = { key: { type: 'apiKey', authenticate: () => undefined } } as const;
  const { send } = await serve(document, { readA: done, readB: done }, { authenticators });
  expect([(await send('/a')).status, (await send('/b')).status]).toEqual([401, 204]);
});

test('a document in several files is served in one piece', async () => {
  const decode = await decoderOf({
    'openapi.yaml': postA({ $ref: './parts/thing.yaml' }),
    'parts/thing.yaml': 'type: object\nproperties: { size: { $ref: size.yaml#/Size } }',
    'parts/size.yaml': 'Size: { type: integer, format: int64 }',
  });
  expect(await decode('{"size":9007199254740993}')).toEqual({ size: 9007199254740993n });
  expect(await decode('{"size":"a"}')).toBe('body.size must be an int64');
});

test('integers that no double holds are exact, in the document and in the files beside it', async () => {
  const decode = await decoderOf({
    'openapi.yaml': postA({ $ref: './size.yaml' }),
    'size.yaml': 'type: integer\nformat: int64\nmaximum: 9007199254740993\nminimum: -9223372036854775808',
  });
  expect(await decode('9007199254740993')).toBe(9007199254740993n);
  expect(await decode('9007199254740994')).toBe('body must be <= 9007199254740993');
});

test('webhooks, callbacks and unused path items add no operations, and cause no errors', async () => {
  const other = { operationId: 'other', requestBody: jsonBody({ type: 'object' }), responses };
  const createA = { operationId: 'createA', callbacks: { done: { '{$url}': { post: other } } }, responses };
  const document = await documentOf({
    paths: { '/a': { post: createA } },
    webhooks: { happened: { post: other } },
    components: { pathItems: { Spare: { get: other } } },
  });
  const { send } = await serve(document, { createA: done });
  expect((await send('/a', { method: 'POST' })).status).toBe(204);
});

test.each([
  ['by their own names', 'createA', 'createA', ['createA', 'postB']],
  ['by the one that is made for them', undefined, 'postA', ['postA', 'postB']],
])('of two operations of one name, %s, the second gets another', async (_how, one, other, names) => {
  const document = await documentOf({
    paths: { '/a': { post: { operationId: one } }, '/b': { post: { operationId: other } } },
  });
  const handlers = Object.fromEntries(names.map((name) => [name, done]));
  await expect(createContract(document, handlers)).resolves.toBeInstanceOf(Function);
});

describe('a contract and its handlers', () => {
  const start = async (operationId: string, handler: string) => {
    const paths = { '/a': { post: { operationId, responses } } };
    return createContract(await documentOf({ paths }), { [handler]: done });
  };

  test('fit', async () => {
    await expect(start('createA', 'createA')).resolves.toBeInstanceOf(Function);
  });

  test.each([
    [
      'an operation without a handler',
      'createA',
      '',
      'openapi.yaml: no handler for createA; run `npm run generate`',
    ],
    ['an operation named like something that every object has', 'toString', '', 'no handler for toString'],
  ])('%s stops the start', async (_what, operationId, handler, message) => {
    await expect(start(operationId, handler)).rejects.toThrow(message);
  });

  test('a handler without an operation stops the start', async () => {
    await expect(createContract(await documentOf({}), { createA: done })).rejects.toThrow(
      /^openapi\.yaml: no operation for handler createA\b.*; run `npm run generate`/,
    );
  });
});

test('a security scheme with an authenticator of another type stops the start', async () => {
  const document = await documentOf({
    paths: { '/a': { post: { operationId: 'createA', security: [{ own: [] }], responses } } },
    components: { securitySchemes: { own: { type: 'http', scheme: 'basic' } } },
  });
  const authenticators = { own: { type: 'bearer', authenticate: () => undefined } } as const;
  await expect(createContract(document, { createA: done }, { authenticators })).rejects.toThrow(
    'openapi.yaml: security scheme own has no basic authenticator',
  );
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { readSources } from '../../../contract-tests/src/document/sources.ts';
import { loadDocument } from '../../../openapi/src/files/load.ts';
import { createDocumentApp } from '../../../server/tests/support/serve.ts';
import { THINGS_FILE } from '../../../server/tests/support/service.ts';
import { createThingHandlers, createThings } from '../../../server/tests/support/things.ts';
import { compileOperations } from '../operations.ts';
import { decodeBody, documentFactory, jsonBody } from '../things.ts';

const { newDocument } = documentFactory();
const makeFolder = temporaryFolders();

/** Creates the app of things.yaml from a changed document, with the handlers of the original. */
const appWith = async (change: (document: object) => object) =>
  createDocumentApp({
    document: await newDocument(change(await loadDocument(THINGS_FILE))),
    handlers: createThingHandlers(createThings()),
    authenticators: { bearerAuth: { type: 'bearer', authenticate: () => undefined } },
  });

const replaceText =
  (from: string, to: string) =>
  (document: object): object => {
    const text = JSON.stringify(document);
    expect(text).toContain(from);
    return JSON.parse(text.replaceAll(from, to));
  };

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
  await expect(newDocument(members)).rejects.toThrow(reason);
});

test('a document without paths serves nothing', async () => {
  expect(await compileOperations(await newDocument({ paths: null }), { checkReplies: true })).toEqual([]);
});

test('operations inherit the security of the document, and are found behind references', async () => {
  const document = await newDocument({
    security: [{ bearerAuth: [] }],
    paths: {
      '/a': { $ref: '#/components/pathItems/A' },
      '/b': { get: { operationId: 'readB', security: [] }, summary: 'not a method' },
    },
    components: { pathItems: { A: { post: { operationId: 'createA', requestBody: jsonBody(true) } } } },
  });
  expect(await compileOperations(document, { checkReplies: false })).toEqual([
    expect.objectContaining({
      id: 'createA',
      method: 'POST',
      path: '/a',
      security: [{ bearerAuth: [] }],
      takesBody: true,
    }),
    expect.objectContaining({ id: 'readB', method: 'GET', path: '/b', security: [], takesBody: false }),
  ]);
});

test('a document in several files is served in one piece', async () => {
  const folder = await makeFolder();
  const paths = {
    '/a': { post: { operationId: 'createA', requestBody: jsonBody({ $ref: './parts/thing.yaml' }) } },
  };
  await writeFile(join(folder, 'openapi.yaml'), JSON.stringify({ openapi: '3.1.0', info: {}, paths }));
  await mkdir(join(folder, 'parts'));
  await writeFile(
    join(folder, 'parts/thing.yaml'),
    'type: object\nproperties: { size: { $ref: size.yaml#/Size } }',
  );
  await writeFile(join(folder, 'parts/size.yaml'), 'Size: { type: integer, format: int64 }');
  const [operation] = await compileOperations(await loadDocument(join(folder, 'openapi.yaml')), {
    checkReplies: true,
  });
  expect(operation && decodeBody(operation, '{"size":9007199254740993}')).toEqual({
    size: 9007199254740993n,
  });
  expect(() => operation && decodeBody(operation, '{"size":"a"}')).toThrow('body.size must be an int64');
});

test('webhooks, callbacks and unused path items add no operations, and cause no errors', async () => {
  const other = { operationId: 'other', requestBody: jsonBody({ type: 'object' }), responses: {} };
  const document = await newDocument({
    paths: { '/a': { post: { operationId: 'createA', callbacks: { done: { '{$url}': { post: other } } } } } },
    webhooks: { happened: { post: other } },
    components: { pathItems: { Spare: { get: other } } },
  });
  const operations = await compileOperations(document, { checkReplies: true });
  expect(operations.map(({ id }) => id)).toEqual(['createA']);
  expect(operations.map((operation) => decodeBody(operation, undefined))).toEqual([undefined]);
});

test.each([
  ['by their own names', 'createA', 'createA', ['createA', 'postB']],
  ['by the one that is made for them', undefined, 'postA', ['postA', 'postB']],
])('of two operations of one name, %s, the second gets another', async (_how, one, other, names) => {
  const document = await newDocument({
    paths: { '/a': { post: { operationId: one } }, '/b': { post: { operationId: other } } },
  });
  const operations = await compileOperations(document, { checkReplies: true });
  expect(operations.map(({ id }) => id)).toEqual(names);
});

test('integers that no double holds are exact, in the document and in the files beside it', async () => {
  const folder = await makeFolder();
  const schema = { $ref: './size.yaml' };
  const paths = { '/a': { post: { operationId: 'createA', requestBody: jsonBody(schema) } } };
  await writeFile(join(folder, 'openapi.yaml'), JSON.stringify({ openapi: '3.1.0', info: {}, paths }));
  await writeFile(
    join(folder, 'size.yaml'),
    'type: integer\nformat: int64\nmaximum: 9007199254740993\nminimum: -9223372036854775808',
  );
  const [operation] = await compileOperations(await loadDocument(join(folder, 'openapi.yaml')), {
    checkReplies: true,
  });
  expect(operation && decodeBody(operation, '9007199254740993')).toBe(9007199254740993n);
  expect(() => operation && decodeBody(operation, '9007199254740994')).toThrow(
    'body must be <= 9007199254740993',
  );
});

test('merge keys count, for the service and its tests as for `npm run generate`', async () => {
  const text = `
openapi: 3.1.0
info: { title: Things, version: "1" }
security: []
paths:
  /things:
    delete: &closed { <<: { security: [{ bearerAuth: [] }], summary: theirs }, operationId: one, summary: own, responses: { default: { description: any } } }
    put: { operationId: other, <<: [*closed, { description: a thing }] }
`;
  const file = join(await makeFolder(), 'openapi.yaml');
  await writeFile(file, text);
  const document = await loadDocument(file);
  expect(document).toEqual(parseYaml(text));
  expect((await readSources(file)).document).toEqual(document);
  expect(await compileOperations(document, { checkReplies: true })).toMatchObject([
    { id: 'other', security: [{ bearerAuth: [] }] },
    { id: 'one', security: [{ bearerAuth: [] }] },
  ]);
});

test('the contract fits its handlers', async () => {
  await expect(appWith((document) => document)).resolves.toMatchObject({ app: expect.any(Function) });
});

test('an operation without a handler stops the start', async () => {
  await expect(appWith(replaceText('"createThing"', '"addThing"'))).rejects.toThrow(
    'openapi.yaml: no handler for addThing; run `npm run generate`',
  );
});

test('an operation named like something that every object has is still without a handler', async () => {
  await expect(appWith(replaceText('"createThing"', '"toString"'))).rejects.toThrow(
    'no handler for toString',
  );
});

test('a handler without an operation stops the start', async () => {
  await expect(appWith((document) => ({ ...document, paths: {} }))).rejects.toThrow(
    /^openapi\.yaml: no operation for handler createThing\b.*; run `npm run generate`/,
  );
});

test('a security scheme with an authenticator of another type stops the start', async () => {
  await expect(appWith(replaceText('"scheme":"bearer"', '"scheme":"basic"'))).rejects.toThrow(
    'openapi.yaml: security scheme bearerAuth has no basic authenticator',
  );
});

test('a security scheme without an authenticator stops the start', async () => {
  await expect(appWith(replaceText('"bearerAuth"', '"otherAuth"'))).rejects.toThrow(
    'openapi.yaml: security scheme otherAuth has no bearer authenticator',
  );
});

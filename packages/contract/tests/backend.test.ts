import { OpenAPIRouter, OpenAPIValidator } from 'openapi-backend';
import { createBackend } from '../src/backend.ts';
import { parseJson } from '../src/json/parse-json.ts';
import { documentFactory, jsonBody } from './things.ts';

const { newDocument } = documentFactory();

const THING = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
};

const backendOf = async () =>
  createBackend(
    await newDocument({
      servers: [{ url: '/v1' }],
      paths: {
        '/things': { post: { operationId: 'createThing', requestBody: jsonBody(THING) } },
        '/things/{id}': { get: {}, delete: { servers: [{ url: '/admin' }] } },
      },
    }),
  );

const sent = (method: string, path: string) => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
});

test("the router and the validator are openapi-backend's own", async () => {
  const { router, validator } = await backendOf();
  expect(router).toBeInstanceOf(OpenAPIRouter);
  expect(validator).toBeInstanceOf(OpenAPIValidator);
  expect(validator.router).toBe(router);
});

test('matchOperation finds the operation of a request, under its server, and its path parameters', async () => {
  const { router } = await backendOf();
  const request = { ...sent('HEAD', '/v1/things/a%20b?q=1'), params: {} };
  expect(router.matchOperation(request)).toMatchObject({
    operationId: 'getThingsById',
    path: '/things/{id}',
  });
  expect(request.params).toEqual({ id: 'a%20b' });
  expect(router.matchOperation(sent('DELETE', '/admin/things/1'))?.operationId).toBe('deleteThingsById');
  expect(router.matchOperation(sent('DELETE', '/v1/things/1'))).toBeUndefined();
});

test('in strict mode matchOperation throws 404 or 405, as openapi-backend does', async () => {
  const { router } = await backendOf();
  expect(() => router.matchOperation(sent('GET', '/v1'), true)).toThrow(/^404-notFound/);
  expect(() => router.matchOperation(sent('PUT', '/v1/things'), true)).toThrow(/^405-methodNotAllowed/);
  expect(router.matchOperation(sent('POST', '/v1/things'), true)).toBe(router.getOperation('createThing'));
});

test('validateRequest decodes a valid request', async () => {
  const { router, validator } = await backendOf();
  const request = sent('POST', '/v1/things');
  const body = parseJson(Buffer.from('{"id":9007199254740993,"name":"a"}'));
  expect(validator.validateRequest(request, router.matchOperation(request, true), body)).toEqual({
    valid: true,
    decoded: expect.objectContaining({ body: { id: 9007199254740993n, name: 'a' } }),
  });
});

test('validateRequest throws every violation of a request that is not valid', async () => {
  const { router, validator } = await backendOf();
  const request = sent('POST', '/v1/things');
  const body = parseJson(Buffer.from('{"id":9223372036854775808}'));
  const problem = expect.objectContaining({
    status: 400,
    violations: [
      { place: 'body.name', pointer: '/name', message: 'is required' },
      { place: 'body.id', pointer: '/id', message: 'must be an int64' },
    ],
  });
  const operation = router.matchOperation(request, true);
  expect(() => validator.validateRequest(request, operation, body)).toThrow(problem);
});

test('validateResponse throws, because the validator cannot check replies', async () => {
  const { validator } = await backendOf();
  expect(() => validator.validateResponse()).toThrow('reply/replies.ts');
  expect(() => validator.validateResponseHeaders()).toThrow('reply/replies.ts');
});

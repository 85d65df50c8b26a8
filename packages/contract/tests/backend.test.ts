import { OpenAPIRouter, OpenAPIValidator } from 'openapi-backend';
import { createBackend } from '../src/backend.ts';
import { documentOf } from './support/documents.ts';

const backendOf = async () =>
  createBackend(
    await documentOf({
      servers: [{ url: '/v1' }],
      paths: { '/things': { post: { operationId: 'createThing' } } },
    }),
  );

const sent = (method: string, path: string) => ({ method, path, headers: {} });

test("the router and the validator are openapi-backend's own", async () => {
  const { router, validator } = await backendOf();
  expect(router).toBeInstanceOf(OpenAPIRouter);
  expect(validator).toBeInstanceOf(OpenAPIValidator);
  expect(validator.router).toBe(router);
});

test('in strict mode matchOperation throws 404 or 405, as openapi-backend does', async () => {
  const { router } = await backendOf();
  expect(() => router.matchOperation(sent('GET', '/v1'), true)).toThrow(/^404-notFound/);
  expect(() => router.matchOperation(sent('PUT', '/v1/things'), true)).toThrow(/^405-methodNotAllowed/);
  expect(router.matchOperation(sent('POST', '/v1/things'), true)).toBe(router.getOperation('createThing'));
});

test('validateResponse throws, because the validator cannot check replies', async () => {
  const { validator } = await backendOf();
  expect(() => validator.validateResponse()).toThrow('reply/replies.ts');
  expect(() => validator.validateResponseHeaders()).toThrow('reply/replies.ts');
});

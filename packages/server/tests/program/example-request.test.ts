import { createExampleRequest } from '../../src/program/example-request.ts';

const SCHEMES = {
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
  inQuery: { type: 'apiKey', in: 'query', name: 'key' },
  oauth: { type: 'oauth2', flows: {} },
  digest: { type: 'http', scheme: 'digest' },
};

const requestFor = (paths: object, security: readonly object[] = []) =>
  createExampleRequest(
    { security, paths, components: { securitySchemes: SCHEMES } },
    'http://127.0.0.1:3000',
    { name: 'alice', token: 't0ken' },
  );

const HOURS = { '/hours': { get: { responses: {} } } };

test.each([
  ['nobody', {}, "curl -i 'http://127.0.0.1:3000/hours'"],
  ['bearer', { bearer: [] }, "curl -i 'http://127.0.0.1:3000/hours' -H 'Authorization: Bearer t0ken'"],
  ['oauth2', { oauth: [] }, "curl -i 'http://127.0.0.1:3000/hours' -H 'Authorization: Bearer t0ken'"],
  ['basic', { basic: [] }, "curl -i 'http://127.0.0.1:3000/hours' -u 'alice:t0ken'"],
  ['a key in a header', { inHeader: [] }, "curl -i 'http://127.0.0.1:3000/hours' -H 'X-Key: t0ken'"],
])('the request carries the credentials of its operation: %s', (_scheme, requirement, command) => {
  expect(requestFor(HOURS, [requirement])).toEqual({ title: 'GET /hours', command });
});

test('the request carries credentials that the service can check', () => {
  const command = "curl -i 'http://127.0.0.1:3000/hours' -u 'alice:t0ken'";
  expect(
    requestFor(HOURS, [{ digest: [] }, { basic: ['read'], digest: [] }, { basic: ['read'] }])?.command,
  ).toBe(command);
  expect(requestFor(HOURS, [{ digest: [] }])).toBeUndefined();
  expect(requestFor(HOURS, [{ inQuery: [] }])).toBeUndefined();
  expect(requestFor(HOURS, [{ bearer: [], inHeader: [] }])).toBeUndefined();
});

test('a body is the first example of the contract, integers to the last digit', () => {
  const content = { 'application/json': { examples: { one: { value: { id: 9007199254740993n } } } } };
  const requestBody = { required: true, content };
  expect(requestFor({ '/tickets': { post: { requestBody } } })?.command).toBe(
    `curl -i 'http://127.0.0.1:3000/tickets' -H 'Content-Type: application/json' -d '{"id":9007199254740993}'`,
  );
});

test('the request goes to where the contract has its operations', () => {
  const document = { servers: [{ url: 'https://museum.example/v1/' }], paths: HOURS };
  const credentials = { name: 'alice', token: 't0ken' };
  const { command } = createExampleRequest(document, 'http://127.0.0.1:3000', credentials) ?? {};
  expect(command).toBe("curl -i 'http://127.0.0.1:3000/v1/hours'");
});

test('an operation that a short line cannot show gives way to the next, and a DELETE is never proposed', () => {
  const upload = { requestBody: { required: true, content: { 'multipart/form-data': {} } } };
  const list = { name: 'ids', in: 'query', required: true, example: 1 };
  const paths = { '/uploads': { post: upload, delete: {} }, '/search': { get: { parameters: [list] } } };
  expect(requestFor(paths)).toBeUndefined();
  expect(requestFor({ ...paths, ...HOURS })?.title).toBe('GET /hours');
});

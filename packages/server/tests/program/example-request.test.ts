import { createExampleRequest } from '../../src/program/example-request.ts';

const SCHEMES = {
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
  inQuery: { type: 'apiKey', in: 'query', name: 'key' },
  inCookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
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
  ['nobody', {}, 'curl -i http://127.0.0.1:3000/hours'],
  ['bearer', { bearer: [] }, "curl -i http://127.0.0.1:3000/hours -H 'Authorization: Bearer t0ken'"],
  ['oauth2', { oauth: [] }, "curl -i http://127.0.0.1:3000/hours -H 'Authorization: Bearer t0ken'"],
  ['basic', { basic: [] }, "curl -i http://127.0.0.1:3000/hours -u 'alice:t0ken'"],
  ['a key in a header', { inHeader: [] }, "curl -i http://127.0.0.1:3000/hours -H 'X-Key: t0ken'"],
  ['a key in the query', { inQuery: [] }, "curl -i 'http://127.0.0.1:3000/hours?key=t0ken'"],
  ['a key in a cookie', { inCookie: [] }, "curl -i http://127.0.0.1:3000/hours -b 'sid=t0ken'"],
  [
    'two schemes at once',
    { bearer: [], inHeader: [] },
    "curl -i http://127.0.0.1:3000/hours -H 'Authorization: Bearer t0ken' -H 'X-Key: t0ken'",
  ],
])('the request carries the credentials of its operation: %s', (_scheme, requirement, command) => {
  expect(requestFor(HOURS, [requirement])).toEqual({ title: 'GET /hours', command });
});

test('the request carries credentials that the service can check', () => {
  const command = "curl -i http://127.0.0.1:3000/hours -u 'alice:t0ken'";
  expect(
    requestFor(HOURS, [{ digest: [] }, { basic: ['read'], digest: [] }, { basic: ['read'] }])?.command,
  ).toBe(command);
  expect(requestFor(HOURS, [{ digest: [] }])).toBeUndefined();
});

test('a request has one Authorization header', () => {
  const hours = 'curl -i http://127.0.0.1:3000/hours';
  const bearer = "-H 'Authorization: Bearer t0ken'";
  expect(requestFor(HOURS, [{ basic: [], bearer: [] }])).toBeUndefined();
  expect(
    requestFor(HOURS, [
      { basic: [], oauth: [] },
      { bearer: [], oauth: [] },
    ])?.command,
  ).toBe(`${hours} ${bearer}`);
});

test('required parameters are filled in from their examples, and quoted for the shell', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a b' },
    { name: 'on', in: 'query', required: true, examples: { first: { value: "it's" } } },
    { name: 'X-Page', in: 'header', required: true, schema: { type: 'integer', example: 3 } },
    { name: 'left-out', in: 'query', schema: { type: 'string' }, example: 'x' },
  ];
  expect(requestFor({ '/rooms/{id}': { parameters, get: { summary: 'A room' } } })).toEqual({
    title: 'A room',
    command: "curl -i 'http://127.0.0.1:3000/rooms/a%20b?on=it'\\''s' -H 'X-Page: 3'",
  });
});

test('a body is the first example of the contract, integers to the last digit', () => {
  const content = { 'application/json': { examples: { one: { value: { id: 9007199254740993n } } } } };
  const requestBody = { required: true, content };
  expect(requestFor({ '/tickets': { put: { requestBody } } })?.command).toBe(
    `curl -i -X PUT http://127.0.0.1:3000/tickets -H 'Content-Type: application/json' -d '{"id":9007199254740993}'`,
  );
});

test('the request goes to where the contract has its operations', () => {
  const document = { servers: [{ url: 'https://museum.example/v1/' }], paths: HOURS };
  const credentials = { name: 'alice', token: 't0ken' };
  const { command } = createExampleRequest(document, 'http://127.0.0.1:3000', credentials) ?? {};
  expect(command).toBe('curl -i http://127.0.0.1:3000/v1/hours');
});

test('an operation that a short line cannot show gives way to the next, and a DELETE is never proposed', () => {
  const upload = { requestBody: { required: true, content: { 'multipart/form-data': {} } } };
  const list = { name: 'ids', in: 'query', required: true, example: [1, 2] };
  const paths = { '/uploads': { post: upload, delete: {} }, '/search': { get: { parameters: [list] } } };
  expect(requestFor(paths)).toBeUndefined();
  expect(requestFor({ ...paths, ...HOURS })?.title).toBe('GET /hours');
});

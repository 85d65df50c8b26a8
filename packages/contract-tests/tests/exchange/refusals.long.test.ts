import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { run } from '../run.ts';
import { serve } from '../serve.ts';
import { temporaryFolders } from '../temporary.ts';

const newFolder = temporaryFolders();
const TOKEN = 'a-token';

const contractOf = (responses: object) => ({
  openapi: '3.1.0',
  info: { title: 'Jars', version: '1' },
  security: [{ bearer: [] }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/jars/{id}': {
      put: {
        operationId: 'fillJar',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 99 } },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'boolean' } } } },
        responses: {
          200: { description: '', content: { 'application/json': { schema: { type: 'string' } } } },
          ...responses,
        },
      },
    },
  },
});

const declare = (...statuses: (number | string)[]) =>
  Object.fromEntries(statuses.map((status) => [status, { description: '' }]));

/** The faults that a service finds in a request, in the order of its checks. */
type Fault = 'path' | 'method' | 'credentials' | 'id' | 'media type' | 'body' | undefined;

const faultOf = ({ method, url = '', headers }: IncomingMessage, body: string): Fault => {
  const id = /^\/jars\/([^/?]+)(\?|$)/.exec(url)?.[1];
  if (id === undefined) return 'path';
  if (method !== 'PUT') return 'method';
  if (headers.authorization?.replace(/^bearer/i, 'Bearer') !== `Bearer ${TOKEN}`) return 'credentials';
  if (!/^[1-9]\d?$/.test(id)) return 'id';
  if (body !== '' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return 'media type';
  return body === 'true' || body === 'false' ? undefined : 'body';
};

const USUAL = { path: 404, method: 404, credentials: 401, id: 400, 'media type': 415, body: 400 };

type Statuses = Partial<typeof USUAL>;

interface Service {
  /** The status for each fault, where it is not the usual one. */
  readonly statuses?: Statuses;
  /** The reply to a valid request. */
  readonly success?: (response: ServerResponse, nth: number) => void;
  readonly headers?: Readonly<Record<string, string>>;
}

const send = (response: ServerResponse): void =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end('"jam"');

/** Runs the contract tests against a service that refuses with these statuses. */
const check = async (
  declared: object,
  { statuses = {}, success = send, headers = {} }: Service,
  flags: readonly string[] = [],
) => {
  const file = join(await newFolder(), 'openapi.yaml');
  await writeFile(file, JSON.stringify(contractOf(declared)));
  let successes = 0;
  const { url, close } = await serve(async (request, response) => {
    const fault = faultOf(request, await text(request));
    if (fault === undefined) successes += 1;
    if (fault === undefined) success(response, successes);
    else response.writeHead({ ...USUAL, ...statuses }[fault], headers).end();
  });
  const result = await run({ spec: file, url, credentials: { token: TOKEN }, requests: 4, flags });
  await close();
  return { ...result, successes };
};

const BASIC = declare(400, 401, 415);

test.each<[what: string, declared: object, statuses: Statuses]>([
  ['400, 401 and 415', BASIC, {}],
  ['a declared 403 for missing and wrong credentials', declare(400, 403, 415), { credentials: 403 }],
  ['403 for credentials as a range', declare('4XX'), { credentials: 403 }],
  ['403 for credentials by default', declare('default'), { credentials: 403 }],
  ['404 for credentials, so as to tell nothing', declare(400, 401, 404, 415), { credentials: 404 }],
  ['a declared 404 for an id that cannot be', declare(400, 401, 404, 415), { id: 404 }],
  ['404 for an id that no route matches', BASIC, { id: 404 }],
  ['a declared 404 before it looks at the body', declare(401, 404, 415), { id: 404, body: 404 }],
  ['a declared 409 before it looks at the body', declare(400, 401, 409, 415), { body: 409 }],
  ['a declared 422 for invalid values', declare(401, 415, 422), { id: 422, body: 422 }],
  ['422 as a range', declare('4XX'), { id: 422, body: 422 }],
  ['a declared 400 for another media type', declare(400, 401), { 'media type': 400 }],
  ['a declared 422 for another media type', declare(401, 422), { id: 422, 'media type': 422, body: 422 }],
  ['a declared 415 for a missing body', BASIC, { body: 415 }],
])('a service that refuses with %s keeps its contract', async (_what, declared, statuses) => {
  const { text: told, failures } = await check(declared, { statuses });
  expect(told).not.toMatch(/^fillJar: /m);
  expect(failures).toBe(0);
});

test.each<[what: string, declared: object, statuses: Statuses, told: string]>([
  ['takes a wrong id', BASIC, { id: 200 }, 'path.id as "abc": expected 400, got 200'],
  [
    'takes any media type',
    BASIC,
    { 'media type': 200 },
    'body as text/plain, which is not declared: expected 415, got 200',
  ],
  ['fails for a wrong body', BASIC, { body: 500 }, 'body missing: status 500: the service failed'],
  ['asks for credentials again', declare('4XX'), { body: 401 }, 'body missing: expected 400, got 401'],
  ['refuses a body with 405', declare('4XX'), { body: 405 }, 'body missing: expected 400, got 405'],
  [
    'refuses a body with a status that it does not declare',
    BASIC,
    { body: 409 },
    'body missing: expected 400, got 409',
  ],
  [
    'refuses credentials with a 403 that it does not declare',
    BASIC,
    { credentials: 403 },
    'no credentials: expected 401, got 403',
  ],
  [
    'calls a request without credentials invalid',
    declare('4XX'),
    { credentials: 400 },
    'no credentials: expected 401, got 400',
  ],
])('a service that %s is caught', async (_what, declared, statuses, told) => {
  const { text: said } = await check(declared, { statuses });
  expect(said).toContain(`fillJar: ${told}`);
});

test('a 401 has the WWW-Authenticate that is declared as required', async () => {
  const schema = { type: 'string' };
  const responses = {
    ...declare('4XX'),
    401: { description: '', headers: { 'WWW-Authenticate': { required: true, schema } } },
  };
  expect((await check(responses, {})).text).toContain('the header WWW-Authenticate is missing');
  expect(await check(responses, { headers: { 'WWW-Authenticate': 'Bearer' } })).toMatchObject({
    failures: 0,
  });
});

test('a declared 429 is waited for, as long as the service says', async () => {
  const { failures, text: told } = await check(declare('4XX'), {
    success: (response, nth) =>
      nth % 3 === 1 ? response.writeHead(429, { 'Retry-After': '0' }).end() : send(response),
  });
  expect(failures).toBe(0);
  expect(told.match(/^note .*$/gm)).toEqual([
    'note  not checked: stored data, because no operation reads it back: fillJar',
  ]);
});

test('a 503 that says when to come again is waited for', async () => {
  const { text: told, failures } = await check(declare('4XX'), {
    success: (response, nth) =>
      nth % 3 === 1 ? response.writeHead(503, { 'Retry-After': '0' }).end() : send(response),
  });
  expect(told).not.toContain('503');
  expect(failures).toBe(0);
});

test('a permanent 503 is a failure of the service even with Retry-After', async () => {
  const { text: told } = await check(declare('4XX'), {
    success: (response) => response.writeHead(503, { 'Retry-After': '0' }).end(),
  });
  expect(told).toContain('fillJar: valid request: status 503: the service failed');
});

test('a service that always answers 429 is not checked, which is a note', async () => {
  const { failures, text: told } = await check(declare('4XX'), {
    success: (response) => response.writeHead(429, { 'Retry-After': '3600' }).end(),
  });
  expect(failures).toBe(0);
  expect(told).toContain('note  fillJar: answered 429 to some requests, which could not be checked');
});

test('an undeclared 429 is a status like any other', async () => {
  const { text: told } = await check(BASIC, {
    success: (response) => response.writeHead(429, { 'Retry-After': '3600' }).end(),
  });
  expect(told).toContain('fillJar: valid request: status 429, which is not declared');
});

test.each([
  ['bytes that are not UTF-8', 'application/json', 'the body is not valid utf-8'],
  [
    'bytes that are not in the charset it names',
    'application/json; charset="UTF-8"',
    'the body is not valid UTF-8',
  ],
  ['bytes in the charset that it names', 'application/json; charset=iso-8859-1', undefined],
])('%s are judged by the charset of a reply', async (_what, type, told) => {
  const { text: said, failures } = await check(BASIC, {
    success: (response) =>
      response.writeHead(200, { 'Content-Type': type }).end(Buffer.from('"j\u00e4m"', 'latin1')),
  });
  if (told === undefined) expect(failures).toBe(0);
  else expect(said).toContain(`fillJar: valid request: ${told}`);
});

test('a truncated reply is shown with its curl line and the bytes that arrived', async () => {
  const { text: told } = await check(BASIC, {
    success: (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 9 });
      response.write('"ja', () => response.destroy());
    },
  });
  expect(told).toContain('fillJar: valid request: the reply was cut off after 3 of 9 bytes of its body');
  expect(told).toMatch(/^ {2}curl -i -X PUT http:\S+\/jars\/1 .* --data-raw false\n {2}200 OK.*\n {2}"ja$/m);
});

test('a service that answers later than it may is caught', async () => {
  const { text: told } = await check(
    BASIC,
    { success: (response) => void setTimeout(() => send(response), 120) },
    ['--max-response-time=100'],
  );
  expect(told).toMatch(/fillJar: valid request: the reply took \d+ ms, more than 100 ms/);
});

test('an operation that hangs gets no more requests after a few', async () => {
  const { text: told, successes } = await check(BASIC, { success: () => {} }, ['--timeout=100']);
  expect(told).toContain('fillJar: valid request: no answer: none within 0.1 s');
  expect(told).toContain('fillJar gave no answer in time to several requests in a row, so it gets no more');
  expect(successes).toBeLessThanOrEqual(8);
});

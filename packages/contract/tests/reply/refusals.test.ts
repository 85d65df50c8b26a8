import { jest } from '@jest/globals';
import { exchange } from '../../../../tests/support/raw-http.ts';
import { type ServeOptions, serveDocument } from '../../../server/tests/support/serve.ts';
import { Problem } from '../../src/problems/problem.ts';
import { documentFactory, jsonBody } from '../things.ts';

const { newDocument } = documentFactory();

const text = { type: 'string' };
const integer = { type: 'integer' };
const object = (properties: object, ...required: string[]) => ({ type: 'object', required, properties });
const withContent = (mediaType: string, schema?: unknown) => ({
  description: '',
  content: { [mediaType]: schema === undefined ? {} : { schema } },
});
const json = (schema?: unknown) => withContent('application/json', schema);

/** Serves an operation for each of these responses, at /0, /1 and so on; each wants a body with a name. */
const serve = async (
  responses: readonly object[],
  options: Pick<ServeOptions, 'errorBody' | 'warn'> & { readonly handle?: () => Promise<never> } = {},
) => {
  const operations = responses.map((each, index) => ({
    operationId: `operation${index}`,
    requestBody: jsonBody(object({ name: text, size: integer }, 'name', 'size')),
    responses: { 200: { description: '' }, ...each },
  }));
  const handle = options.handle ?? (async () => ({ status: 200 }));
  return serveDocument({
    document: await newDocument({
      paths: Object.fromEntries(operations.map((post, index) => [`/${index}`, { post }])),
    }),
    handlers: Object.fromEntries(operations.map(({ operationId }) => [operationId, handle])),
    checkReplies: true,
    ...(options.errorBody && { errorBody: options.errorBody }),
    warn: options.warn,
  });
};

/** The same, with the warnings in the log. */
const serveWithWarnings = async (responses: readonly object[], options: Parameters<typeof serve>[1] = {}) => {
  const warn = jest.fn();
  return { ...(await serve(responses, { ...options, warn })), warn };
};

/** The reply to a body, as its status, its media type and its text. */
const send = async (url: string, path = '/0', body = '{}') => {
  const reply = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text(), reply };
};

const parsed = async (url: string, path?: string, body?: string) => {
  const { status, type, text: sent } = await send(url, path, body);
  return { status, type, body: JSON.parse(sent) };
};

const MESSAGE = 'body.name is required; body.size is required';
const JSON_TYPE = 'application/json';
const PLAIN = { error: 40002, message: MESSAGE };
const DETAILS = { type: 'about:blank', title: 'Bad Request', status: 400, detail: MESSAGE };
const ERRORS = [
  { detail: 'body.name is required', pointer: '#/name' },
  { detail: 'body.size is required', pointer: '#/size' },
];

test('invalid input gets 422 where an operation declares that and no 400', async () => {
  const error = json(object({ error: integer, message: text }, 'error', 'message'));
  const { url, close } = await serve([
    { 422: error, default: error },
    { 422: error, 400: error },
    { default: error },
  ]);
  const replies: { status: number; body: unknown }[] = [];
  for (const path of ['/0', '/1', '/2']) replies.push(await parsed(url, path));
  expect(replies.map(({ status, body }) => [status, body])).toEqual([
    [422, { error: 42203, message: MESSAGE }],
    [400, { error: 40002, message: MESSAGE }],
    [400, { error: 40002, message: MESSAGE }],
  ]);
  expect(await parsed(url, '/0', '{')).toMatchObject({ status: 422, body: { error: 42202 } });
  expect((await fetch(`${url}/0`, { method: 'POST', body: 'a' })).status).toBe(415);
  await close();
});

test('{ error, message } is sent where the schema declares it, or nothing', async () => {
  const schemas = [
    object({ error: integer, message: text }, 'error', 'message'),
    { ...object({ error: integer, message: text }), additionalProperties: false },
    undefined,
    { type: 'object' },
  ];
  const { url, close, warn } = await serveWithWarnings(schemas.map((schema) => ({ 400: json(schema) })));
  for (const index of schemas.keys())
    expect(await parsed(url, `/${index}`)).toEqual({ status: 400, type: JSON_TYPE, body: PLAIN });
  expect(warn).not.toHaveBeenCalled();
  await close();
});

test('problem details are sent where they are declared, with the members of the standard only if the schema wants that', async () => {
  const closed = (members: object) => ({ ...object(members), additionalProperties: false });
  const standard = { type: text, title: text, status: integer, detail: text };
  const open = object(standard);
  const { url, close } = await serve([
    ...[open, closed(standard), object({ ...standard, code: text })].map((schema) => ({
      400: withContent('application/problem+json', schema),
    })),
    { 400: json(closed(standard)) },
  ]);
  const at = async (path: string) => (await parsed(url, path)).body;
  expect(await parsed(url, '/0')).toEqual({
    status: 400,
    type: 'application/problem+json',
    body: { ...DETAILS, code: 40002, errors: ERRORS },
  });
  expect(await at('/1')).toEqual(DETAILS);
  expect(await at('/2')).toEqual(DETAILS);
  expect(await parsed(url, '/3')).toEqual({ status: 400, type: JSON_TYPE, body: DETAILS });
  expect(await parsed(url, '/nowhere')).toMatchObject({
    status: 404,
    type: 'application/problem+json',
    body: { title: 'Not Found', code: 40401 },
  });
  await close();
});

test('requests that reach no operation are refused in the general form of the service', async () => {
  const { port, close } = await serve([{ 400: withContent('application/problem+json') }]);
  const reply = await exchange(port, 'NONSENSE\r\n\r\n');
  expect(reply).toContain('Content-Type: application/problem+json');
  expect(reply).toContain('"code":40003');
  await close();
});

test('text is sent where text is declared, and never becomes markup', async () => {
  const { url, close } = await serve(
    ['text/plain', 'text/html', 'text/*'].map((type) => ({ 400: withContent(type, text) })),
  );
  expect(await send(url, '/0')).toMatchObject({ type: 'text/plain; charset=utf-8', text: MESSAGE });
  expect(await send(url, '/2')).toMatchObject({ type: 'text/plain; charset=utf-8', text: MESSAGE });
  const html = await send(url, '/1', '<script>');
  expect(html).toMatchObject({ status: 400, type: 'text/html; charset=utf-8' });
  expect(html.text).not.toContain('<');
  await close();
});

test('text is cut to the length that its schema allows, between two signs of markup', async () => {
  const handle = () => Promise.reject(new Problem(40001, 'a <b> & c'));
  const { url, close } = await serve(
    ['text/plain', 'text/html'].map((type) => ({ 400: withContent(type, { ...text, maxLength: 9 }) })),
    { handle },
  );
  const valid = '{"name":"a","size":1}';
  expect(await send(url, '/0')).toMatchObject({
    type: 'text/plain; charset=utf-8',
    text: MESSAGE.slice(0, 9),
  });
  expect(await send(url, '/1', valid)).toMatchObject({
    status: 400,
    type: 'text/html; charset=utf-8',
    text: 'a &lt;b',
  });
  await close();
});

test('a status that is declared without content has no body', async () => {
  const { url, close } = await serve([{ 400: { description: '' } }]);
  expect(await send(url)).toMatchObject({ status: 400, type: null, text: '' });
  await close();
});

test('the status decides, else its range, else the default, else the service', async () => {
  const shape = (name: string) => json({ ...object({ [name]: text }, name), additionalProperties: false });
  const all = { 400: shape('message'), '4XX': shape('detail'), default: shape('reason') };
  const responses = [
    all,
    { '4XX': all['4XX'], default: all.default },
    { default: all.default },
    { 404: all['4XX'] },
  ];
  const errorBody: ServeOptions['errorBody'] = ({ message, operationId, schema = '' }) => {
    const [, , , , key = ''] = schema.split('/').slice(1);
    const name = { 400: 'message', '4XX': 'detail', default: 'reason' }[key];
    return name === undefined ? { operationId, schema } : { [name]: message };
  };
  const { url, close } = await serve(responses, { errorBody });
  const bodies = await Promise.all(
    ['/0', '/1', '/2', '/3'].map(async (path) => (await parsed(url, path)).body),
  );
  expect(bodies).toEqual([{ message: MESSAGE }, { detail: MESSAGE }, { reason: MESSAGE }, { schema: '' }]);
  await close();
});

test('where no body fits, { error, message } is sent, and the first time it is logged', async () => {
  const never = object({ a: false }, 'a');
  const { url, close, warn } = await serveWithWarnings([
    { 400: withContent('image/png', text) },
    { 400: json(never) },
    { 400: json(object({ reason: text })) },
  ]);
  for (const path of ['/0', '/1', '/2', '/0'])
    expect(await parsed(url, path)).toEqual({ status: 400, type: JSON_TYPE, body: PLAIN });
  expect(warn.mock.calls).toEqual(
    [0, 1, 2].map((index) => [
      { operationId: `operation${index}`, status: 400, response: `/paths/~1${index}/post/responses/400` },
      expect.stringContaining('no error body fits'),
    ]),
  );
  await close();
});

test('where XML is declared, the body is written as elements', async () => {
  const { url, close } = await serve(
    [{ 400: withContent('application/xml', {}), 404: withContent('application/problem+xml') }],
    {
      errorBody: ({ status, code, message }) => (status === 400 ? { code, message } : undefined),
      handle: () => Promise.reject(new Problem(40401, 'gone')),
    },
  );
  const [typed, untyped] = [await send(url), await send(url, '/0', '{"name":"a","size":1}')];
  expect(typed).toMatchObject({
    status: 400,
    type: 'application/xml',
    text: expect.stringContaining(`<error><code>40002</code><message>${MESSAGE}</message></error>`),
  });
  expect(untyped).toMatchObject({
    type: 'application/problem+xml',
    text: expect.stringContaining('<error><error>40401</error><message>'),
  });
  await close();
});

test("the owner's body is sent wherever it fits, and everywhere that nothing is declared", async () => {
  const { url, close } = await serve(
    [
      { 400: json(object({ why: text }, 'why')) },
      { 400: json(object({ error: integer, message: text }, 'message')) },
      { 404: { description: '' } },
    ],
    {
      errorBody: ({ codeName, violations }) => ({
        why: codeName,
        where: violations.map(({ place }) => place),
      }),
    },
  );
  const own = { why: 'schemaMismatch', where: ['body.name', 'body.size'] };
  expect((await parsed(url, '/0')).body).toEqual(own);
  expect((await parsed(url, '/1')).body).toEqual(PLAIN);
  expect((await parsed(url, '/2')).body).toEqual(own);
  expect((await parsed(url, '/nowhere')).body).toEqual({ why: 'noSuchPath', where: [] });
  await close();
});

test("an owner's function that throws does not keep a request from its answer, and is logged once", async () => {
  const errorBody = () => {
    throw new Error('a bug');
  };
  const { url, close, warn } = await serveWithWarnings(
    [{ 400: json(object({ error: integer, message: text })) }],
    {
      errorBody,
    },
  );
  for (const path of ['/0', '/0']) expect((await parsed(url, path)).body).toEqual(PLAIN);
  expect((await parsed(url, '/nowhere')).body).toMatchObject({ error: 40401 });
  expect(warn).toHaveBeenCalledTimes(1);
  await close();
});

test('a Problem that a handler throws, or an error, is said as the operation declares it', async () => {
  let failure: Error = new Problem(40901, 'taken');
  const { url, close } = await serve(
    [{ 409: json(object({ reason: text }, 'reason')), '5XX': withContent('text/plain') }],
    {
      handle: () => Promise.reject(failure),
      errorBody: ({ message }) => ({ reason: message }),
    },
  );
  const valid = '{"name":"a","size":1}';
  expect(await parsed(url, '/0', valid)).toMatchObject({ status: 409, body: { reason: 'taken' } });
  failure = new Error('disk /dev/secret');
  expect(await send(url, '/0', valid)).toMatchObject({ status: 500, text: 'internal error' });
  await close();
});

test('a header that the status requires is there', async () => {
  const headers = { 'X-Shop': { required: true, schema: { ...text, examples: ['Leeds'] } } };
  const { url, close } = await serve([{ 400: { ...json(), headers } }]);
  const { reply } = await send(url);
  expect(reply.headers.get('x-shop')).toBe('Leeds');
  await close();
});

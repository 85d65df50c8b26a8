import { type ContractOptions, Problem } from '@trellis/contract';
import { documentOf, jsonBody, text } from '../support/documents.ts';
import { serve } from '../support/serve.ts';

const integer = { type: 'integer' };
const object = (properties: object, ...required: string[]) => ({ type: 'object', required, properties });
const withContent = (mediaType: string, schema?: unknown) => ({
  description: '',
  content: { [mediaType]: schema === undefined ? {} : { schema } },
});
const json = (schema?: unknown) => withContent('application/json', schema);

/** Serves an operation for each of these responses, at /0, /1 and so on; each wants a body with a name. */
const refusing = async (
  responses: readonly object[],
  options: Pick<ContractOptions, 'errorBody'> & { readonly handle?: () => Promise<never> } = {},
) => {
  const operations = responses.map((each, index) => ({
    operationId: `operation${index}`,
    requestBody: jsonBody(object({ name: text, size: integer }, 'name', 'size')),
    responses: { 200: { description: '' }, ...each },
  }));
  const { handle = async () => ({ status: 200 }), ...rest } = options;
  const paths = Object.fromEntries(operations.map((post, index) => [`/${index}`, { post }]));
  const handlers = Object.fromEntries(operations.map(({ operationId }) => [operationId, handle]));
  const { send, errors } = await serve(await documentOf({ paths }), handlers, rest);

  /** Posts a body; the reply as its status, its media type and its text. */
  const post = async (path = '/0', body = '{}') => {
    const reply = await send(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text(), reply };
  };
  const parsed = async (path?: string, body?: string) => {
    const { status, type, text: sent } = await post(path, body);
    return { status, type, body: JSON.parse(sent) };
  };
  return { send, post, parsed, errors };
};

const MESSAGE = 'body.name is required; body.size is required';
const JSON_TYPE = 'application/json';
const DETAILS = { type: 'about:blank', title: 'Bad Request', status: 400, detail: MESSAGE };
const ERRORS = [
  { detail: 'body.name is required', pointer: '#/name' },
  { detail: 'body.size is required', pointer: '#/size' },
];

test('invalid input gets 422 where an operation declares that and no 400, by its schema', async () => {
  const conduit = json(
    object({ errors: object({ body: { type: 'array', items: text } }, 'body') }, 'errors'),
  );
  const loc = { type: 'array', items: { anyOf: [text, integer] } };
  const fast = json(
    object({
      detail: { type: 'array', items: object({ loc, msg: text, type: text }, 'loc', 'msg', 'type') },
    }),
  );
  const error = json(object({ error: integer, message: text }, 'error', 'message'));
  const { parsed, send } = await refusing([
    { 422: conduit },
    { 422: fast },
    { 422: error, default: error },
    { 422: error, 400: error },
    { default: error },
  ]);
  const [first, second] = MESSAGE.split('; ');
  const replies: { status: number; body: unknown }[] = [];
  for (const path of ['/0', '/1', '/2', '/3', '/4']) replies.push(await parsed(path));
  expect(replies.map(({ status, body }) => [status, body])).toEqual([
    [422, { errors: { body: [first, second] } }],
    [
      422,
      {
        detail: [
          { loc: ['body', 'name'], msg: first, type: 'unprocessableEntity' },
          { loc: ['body', 'size'], msg: second, type: 'unprocessableEntity' },
        ],
      },
    ],
    [422, { error: 42203, message: MESSAGE }],
    [400, { error: 40002, message: MESSAGE }],
    [400, { error: 40002, message: MESSAGE }],
  ]);
  expect(await parsed('/2', '{')).toMatchObject({ status: 422, body: { error: 42202 } });
  expect(
    (await send('/2', { method: 'POST', body: 'a', headers: { 'content-type': 'text/plain' } })).status,
  ).toBe(415);
});

/** A schema for errors, and the body that is sent for a body with two faults. */
const BY_SCHEMA: readonly [what: string, schema: unknown, body: unknown][] = [
  [
    'an Error with a number',
    object({ error: integer, message: text }, 'error', 'message'),
    { error: 40002, message: MESSAGE },
  ],
  ['no schema', undefined, { error: 40002, message: MESSAGE }],
  ['an object that names nothing', { type: 'object' }, { error: 40002, message: MESSAGE }],
  ['optional members', object({ code: integer, message: text }), { code: 40002, message: MESSAGE }],
  [
    'a code that is a text',
    object({ code: text, message: text }, 'code'),
    { code: 'schemaMismatch', message: MESSAGE },
  ],
  ['a code that is a status', object({ code: { ...integer, maximum: 599 } }, 'code'), { code: 400 }],
  ['an error that is the message', object({ error: text }, 'error'), { error: MESSAGE }],
  [
    'names in another case',
    object({ error: text, error_description: text }),
    { error: 'schemaMismatch', error_description: MESSAGE },
  ],
  [
    'a name that ends in message',
    object({ error: text, userMessage: text }, 'error', 'userMessage'),
    { error: 'schemaMismatch', userMessage: MESSAGE },
  ],
  [
    'a bound on the length',
    object({ message: { ...text, maxLength: 9 } }, 'message'),
    { message: 'body.name' },
  ],
  [
    'a nested error',
    object(
      {
        error: object(
          {
            message: text,
            type: text,
            code: { anyOf: [text, { type: 'null' }] },
            param: { type: ['string', 'null'] },
          },
          'message',
          'type',
          'code',
          'param',
        ),
      },
      'error',
    ),
    { error: { message: MESSAGE, type: 'schemaMismatch', code: 'schemaMismatch', param: 'body.name' } },
  ],
  [
    'a list of violations',
    object(
      { message: text, errors: { type: 'array', items: object({ field: text, message: text }, 'field') } },
      'errors',
    ),
    {
      message: MESSAGE,
      errors: [
        { field: 'body.name', message: 'body.name is required' },
        { field: 'body.size', message: 'body.size is required' },
      ],
    },
  ],
  [
    'a list of texts',
    object({ errors: { type: 'array', items: text } }),
    { errors: ['body.name is required', 'body.size is required'] },
  ],
  [
    'a body that is a list',
    { type: 'array', items: object({ message: text }, 'message') },
    [{ message: 'body.name is required' }, { message: 'body.size is required' }],
  ],
  [
    'a member that the service does not know',
    object({ message: text, shop: { ...text, examples: ['Leeds'] } }, 'message', 'shop'),
    { message: MESSAGE, shop: 'Leeds' },
  ],
  [
    'a constant',
    object({ message: text, ok: { const: false } }, 'message', 'ok'),
    { message: MESSAGE, ok: false },
  ],
  [
    'a union',
    { oneOf: [object({ colour: { enum: ['red'] } }, 'colour'), object({ message: text }, 'message')] },
    { message: MESSAGE },
  ],
  [
    'a union with a discriminator',
    {
      oneOf: ['simple', 'grave'].map((kind) =>
        object({ message: text, kind: { ...text, enum: [kind] } }, 'message', 'kind'),
      ),
      discriminator: { propertyName: 'kind' },
    },
    { message: MESSAGE, kind: 'simple' },
  ],
  ['a body that is a text', text, MESSAGE],
  [
    'a list of codes with a true one',
    object({ message: text, code: { enum: ['not_found', 'bad_request'] } }, 'code'),
    { message: MESSAGE, code: 'bad_request' },
  ],
  [
    'a list of codes without a true one, which may be left out',
    object({ message: text, code: { enum: ['not_found', 'gone'] } }, 'message'),
    { message: MESSAGE },
  ],
  [
    'a type that is true of every error',
    object({ type: { const: 'error' }, error: object({ message: text }, 'message') }, 'type', 'error'),
    { type: 'error', error: { message: MESSAGE } },
  ],
  [
    'a member that tells success',
    object({ ok: { type: 'boolean', examples: [true] }, message: text }, 'ok', 'message'),
    { ok: false, message: MESSAGE },
  ],
  [
    'no place for a reason, but for the failure',
    object({ success: { type: 'boolean' } }, 'success'),
    { success: false },
  ],
  [
    'a type in the words of OAuth 2.0 and Stripe',
    object({
      error: object({ type: { enum: ['api_error', 'invalid_request_error'] }, message: text }, 'type'),
    }),
    { error: { type: 'invalid_request_error', message: MESSAGE } },
  ],
  [
    'a list of values that say nothing about a refusal',
    object({ message: text, colour: { enum: ['red', 'blue'] } }, 'message', 'colour'),
    { message: MESSAGE, colour: 'red' },
  ],
  [
    'a code out of the list of another schema',
    {
      allOf: [
        object({
          errors: { type: 'array', maxItems: 1, items: object({ issue: text, message: text }, 'issue') },
        }),
        { properties: { errors: { items: { anyOf: [{ properties: { issue: { enum: ['INVALID'] } } }] } } } },
      ],
    },
    { errors: [{ issue: 'INVALID', message: 'body.name is required' }] },
  ],
  [
    'nothing that could say it',
    object({ colour: { enum: ['red'] } }, 'colour'),
    { error: 40002, message: MESSAGE },
  ],
];

test('a body is made from the schema that the operation declares', async () => {
  const { parsed, errors } = await refusing(BY_SCHEMA.map(([, schema]) => ({ 400: json(schema) })));
  for (const [index, [what, , body]] of BY_SCHEMA.entries())
    expect([what, await parsed(`/${index}`)]).toEqual([what, { status: 400, type: JSON_TYPE, body }]);
  expect(errors).toEqual([]);
});

test('problem details are sent where they are declared, with the members of the standard only if the schema wants that', async () => {
  const closed = (members: object) => ({ ...object(members), additionalProperties: false });
  const standard = { type: text, title: text, status: integer, detail: text };
  const open = object(standard);
  const { parsed } = await refusing(
    [open, closed(standard), object({ ...standard, code: text })].map((schema) => ({
      400: withContent('application/problem+json', schema),
    })),
  );
  const at = async (path: string) => (await parsed(path)).body;
  expect(await parsed('/0')).toEqual({
    status: 400,
    type: 'application/problem+json',
    body: { ...DETAILS, code: 40002, errors: ERRORS },
  });
  expect(await at('/1')).toEqual(DETAILS);
  expect(await at('/2')).toEqual(DETAILS);
  expect(await parsed('/nowhere')).toMatchObject({
    status: 404,
    type: 'application/problem+json',
    body: { title: 'Not Found', code: 40401 },
  });
});

test('text is sent where text is declared, and never becomes markup', async () => {
  const { post } = await refusing(
    ['text/plain', 'text/html', 'text/*'].map((type) => ({ 400: withContent(type, text) })),
  );
  expect(await post('/0')).toMatchObject({ type: 'text/plain; charset=utf-8', text: MESSAGE });
  expect(await post('/2')).toMatchObject({ type: 'text/plain; charset=utf-8', text: MESSAGE });
  const html = await post('/1', '<script>');
  expect(html).toMatchObject({ status: 400, type: 'text/html; charset=utf-8' });
  expect(html.text).not.toContain('<');
});

test('text is cut to the length that its schema allows, between two signs of markup', async () => {
  const handle = () => Promise.reject(new Problem(40001, 'a <b> & c'));
  const { post } = await refusing(
    ['text/plain', 'text/html'].map((type) => ({ 400: withContent(type, { ...text, maxLength: 9 }) })),
    { handle },
  );
  const valid = '{"name":"a","size":1}';
  expect(await post('/0')).toMatchObject({
    type: 'text/plain; charset=utf-8',
    text: MESSAGE.slice(0, 9),
  });
  expect(await post('/1', valid)).toMatchObject({
    status: 400,
    type: 'text/html; charset=utf-8',
    text: 'a &lt;b',
  });
});

test('a status that is declared without content has no body', async () => {
  const { post } = await refusing([{ 400: { description: '' } }]);
  expect(await post()).toMatchObject({ status: 400, type: null, text: '' });
});

test('the status decides, else its range, else the default, else the service', async () => {
  const shape = (name: string) => json(object({ [name]: text }, name));
  const all = { 400: shape('message'), '4XX': shape('detail'), default: shape('reason') };
  const { parsed } = await refusing([
    all,
    { '4XX': all['4XX'], default: all.default },
    { default: all.default },
    { 404: all['4XX'] },
  ]);
  const bodies = await Promise.all(['/0', '/1', '/2', '/3'].map(async (path) => (await parsed(path)).body));
  expect(bodies).toEqual([
    { message: MESSAGE },
    { detail: MESSAGE },
    { reason: MESSAGE },
    { error: 40002, message: MESSAGE },
  ]);
});

test('a refusal that does not fit the declared response has the general form of the service', async () => {
  const never = object({ a: false }, 'a');
  const { parsed } = await refusing([{ 400: withContent('image/png', text) }, { 400: json(never) }]);
  for (const path of ['/0', '/1'])
    expect(await parsed(path)).toEqual({
      status: 400,
      type: JSON_TYPE,
      body: { error: 40002, message: MESSAGE },
    });
});

const CODES = { enum: ['channel_not_found', 'invalid_auth'] };

test.each<[what: string, schema: object]>([
  ['a list of reasons', object({ ok: { enum: [false] }, error: { ...text, ...CODES } }, 'ok', 'error')],
  ['a list of codes beside a message', object({ message: text, code: CODES }, 'message', 'code')],
  ['a reason that is the only one', object({ error: { const: 'channel_not_found' } }, 'error')],
  [
    'one reason in each alternative',
    { oneOf: CODES.enum.map((reason) => object({ error: { const: reason } }, 'error')) },
  ],
  [
    'an example of a text',
    object({ key_of_reason: { ...text, examples: ['channel_not_found'] } }, 'key_of_reason'),
  ],
  ['a code below every status', object({ code: { ...integer, maximum: 99 } }, 'code')],
])('a reason that is not its own is never sent: %s', async (_what, schema) => {
  const { parsed } = await refusing([{ 400: json(schema) }]);
  expect(await parsed()).toEqual({
    status: 400,
    type: JSON_TYPE,
    body: { error: 40002, message: MESSAGE },
  });
});

test('where there is no violation, its place is empty', async () => {
  const param = { ...text, examples: ['amount'] };
  const { parsed } = await refusing([{ 400: json(object({ message: text, param }, 'message', 'param')) }]);
  expect((await parsed('/0', '{')).body).toEqual({
    message: expect.stringContaining('body is not valid JSON'),
    param: '',
  });
  expect((await parsed()).body).toEqual({ message: MESSAGE, param: 'body.name' });
});

test('where XML is declared, its elements follow the schema', async () => {
  const error = object({ code: { type: 'integer' }, message: text }, 'message');
  const { post } = await refusing([
    { 400: withContent('application/xml', error) },
    { 400: withContent('application/problem+xml', undefined) },
  ]);
  const [typed, untyped] = await Promise.all(['/0', '/1'].map((path) => post(path)));
  expect(typed).toMatchObject({
    status: 400,
    type: 'application/xml',
    text: expect.stringContaining(`<error><code>40002</code><message>${MESSAGE}</message></error>`),
  });
  expect(untyped).toMatchObject({
    type: 'application/problem+xml',
    text: expect.stringContaining('<error><error>40002</error><message>'),
  });
});

test("the owner's body is sent wherever it fits, and everywhere that nothing is declared", async () => {
  const { parsed } = await refusing(
    [
      { 400: json(object({ why: text }, 'why')) },
      { 400: json(object({ message: text }, 'message')) },
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
  expect((await parsed('/0')).body).toEqual(own);
  expect((await parsed('/1')).body).toEqual({ message: MESSAGE });
  expect((await parsed('/2')).body).toEqual(own);
  expect((await parsed('/nowhere')).body).toEqual({ why: 'noSuchPath', where: [] });
});

test("an owner's function that throws does not keep a request from its answer", async () => {
  const errorBody = () => {
    throw new Error('a bug');
  };
  const { parsed } = await refusing([{ 400: json(object({ error: integer }, 'error')) }], { errorBody });
  expect((await parsed()).body).toEqual({ error: 40002 });
  expect((await parsed('/nowhere')).body).toMatchObject({ error: 40401 });
});

test('a Problem that a handler throws, or an error, is said as the operation declares it', async () => {
  let failure: Error = new Problem(40901, 'taken');
  const { parsed, post } = await refusing(
    [{ 409: json(object({ reason: text }, 'reason')), '5XX': withContent('text/plain') }],
    { handle: () => Promise.reject(failure) },
  );
  const valid = '{"name":"a","size":1}';
  expect(await parsed('/0', valid)).toMatchObject({ status: 409, body: { reason: 'taken' } });
  failure = new Error('disk /dev/secret');
  expect(await post('/0', valid)).toMatchObject({ status: 500, text: 'internal error' });
});

test('a header that the status requires is there', async () => {
  const headers = { 'X-Shop': { required: true, schema: { ...text, examples: ['Leeds'] } } };
  const { post } = await refusing([{ 400: { ...json(), headers } }]);
  const { reply } = await post();
  expect(reply.headers.get('x-shop')).toBe('Leeds');
});

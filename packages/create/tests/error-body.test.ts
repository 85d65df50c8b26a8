import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContract } from '@trellis/contract';
import { loadDocument } from '@trellis/openapi';
import type { Document } from '@trellis/openapi/internal/document';
import ts from 'typescript';
import { renderErrorBody } from '../src/generate/errors/error-body.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const object = (properties: object, ...required: string[]) => ({
  ...{ type: 'object', required, properties },
  additionalProperties: false,
});
const listOf = (items: object) => ({ type: 'array', items });

const folder = await mkdtemp(join(tmpdir(), 'error-body-'));
afterAll(() => rm(folder, { recursive: true }));

/** A document whose operations, one for each schema, declare it for invalid bodies. */
const documentOf = async (schemas: readonly object[], mediaType = 'application/json'): Promise<Document> => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Errors', version: '1.0.0' },
    paths: Object.fromEntries(
      schemas.map((schema, index) => [
        `/${index}`,
        {
          post: {
            operationId: `operation${index}`,
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['name', 'size'],
                    properties: { name: text, size: integer },
                  },
                },
              },
            },
            responses: { 400: { description: '', content: { [mediaType]: { schema } } } },
          },
        },
      ]),
    ),
  };
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  return loadDocument(join(folder, 'openapi.json'));
};

/** Loads the file as it would be written. */
const load = async (document: Document) => {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  const code = ts.transpile(renderErrorBody(document).text, options);
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).errorBody;
};

const refuseAll = async (document: Document) => {
  const handlers = Object.keys(document.paths ?? {}).map((_, index) => [
    `operation${index}`,
    async () => ({ status: 200 }),
  ]);
  const warned: object[] = [];
  const contract = await createContract(document, Object.fromEntries(handlers), {
    errorBody: await load(document),
    log: { debug() {}, info() {}, warn: (details) => warned.push(Object(details)), error() {} },
  });
  const bodies: unknown[] = [];
  for (const path of Object.keys(document.paths ?? {})) {
    const headers = { 'content-type': 'application/json' };
    async function* body() {
      yield Buffer.from('{}');
    }
    const reply = await contract({ method: 'POST', url: path, headers, body: body() });
    bodies.push(JSON.parse(String(reply.body)));
  }
  return { bodies, warned };
};

const FIRST = 'body.name is required';
const SECOND = 'body.size is required';
const MESSAGE = `${FIRST}; ${SECOND}`;
const CODES = { enum: ['channel_not_found', 'invalid_auth'] };

/** A schema for errors, and the body of an error. */
const GUESSED: readonly [what: string, schema: object, body: unknown][] = [
  [
    'a number and a message',
    object({ code: integer, message: text }, 'code'),
    { code: 40002, message: MESSAGE },
  ],
  ['a name', object({ code: text, message: text }, 'code'), { code: 'schemaMismatch', message: MESSAGE }],
  ['a status', object({ code: { ...integer, maximum: 599 } }, 'code'), { code: 400 }],
  ['an example of a status', object({ code: { ...integer, example: 404 } }, 'code'), { code: 400 }],
  ['an error that is the message', object({ error: text }, 'error'), { error: MESSAGE }],
  [
    'names in another case',
    object({ error: text, error_description: text, statusCode: integer }),
    { error: 'schemaMismatch', error_description: MESSAGE, statusCode: 400 },
  ],
  [
    'a bound on the length',
    object({ userMessage: { ...text, maxLength: 60 } }, 'userMessage'),
    { userMessage: MESSAGE.slice(0, 50) },
  ],
  [
    'an object inside',
    object(
      { error: object({ message: text, type: text, param: { type: ['string', 'null'] } }, 'param') },
      'error',
    ),
    { error: { message: MESSAGE, type: 'schemaMismatch', param: 'body.name' } },
  ],
  [
    'a list of violations',
    object(
      { message: text, errors: listOf(object({ field: text, message: text, pointer: text }, 'field')) },
      'errors',
    ),
    {
      message: MESSAGE,
      errors: [
        { field: 'body.name', message: FIRST, pointer: '/name' },
        { field: 'body.size', message: SECOND, pointer: '/size' },
      ],
    },
  ],
  ['a list of texts', object({ errors: listOf(text) }), { errors: [FIRST, SECOND] }],
  ['a list', listOf(object({ message: text }, 'message')), [{ message: FIRST }, { message: SECOND }]],
  [
    'errors of FastAPI',
    object({ detail: listOf(object({ loc: listOf({ anyOf: [text, integer] }), msg: text }, 'loc')) }),
    {
      detail: [
        { loc: ['body', 'name'], msg: FIRST },
        { loc: ['body', 'size'], msg: SECOND },
      ],
    },
  ],
  ['a text', text, MESSAGE],
  [
    'a required member of an unknown name, and an optional one',
    object({ message: text, shop: { ...text, examples: ['Leeds'] }, ticket: text }, 'message', 'shop'),
    { message: MESSAGE, shop: 'Leeds' },
  ],
  [
    'success',
    object({ ok: { type: 'boolean', examples: [true] }, message: text }, 'ok'),
    { ok: false, message: MESSAGE },
  ],
  [
    'codes with a true one',
    object({ message: text, code: { enum: ['not_found', 'bad_request'] } }, 'code'),
    { message: MESSAGE, code: 'bad_request' },
  ],
  ['codes without a true one', object({ message: text, code: CODES }, 'message'), { message: MESSAGE }],
  [
    'the words of Stripe',
    object({
      error: object({ type: { enum: ['api_error', 'invalid_request_error'] }, message: text }, 'type'),
    }),
    { error: { type: 'invalid_request_error', message: MESSAGE } },
  ],
];

test('the error body of a new project fits each error schema of the contract', async () => {
  const { bodies, warned } = await refuseAll(await documentOf(GUESSED.map(([, schema]) => schema)));
  expect(GUESSED.map(([what], index) => [what, bodies[index]])).toEqual(
    GUESSED.map(([what, , body]) => [what, body]),
  );
  expect(warned).toEqual([]);
});

test('generate checks the body that the file makes, and executes no text made from the contract', async () => {
  const document = await documentOf(GUESSED.map(([, schema]) => schema));
  const [{ errorBody }, written] = [renderErrorBody(document), await load(document)];
  for (const [path, violations] of Object.keys(document.paths ?? {}).flatMap((each) => [
    [each, []] as const,
    [each, [{ place: 'body.name', message: 'is required', pointer: '/name' }]] as const,
  ])) {
    const schema = `/paths/${path.replace('/', '~1')}/post/responses/400/content/application~1json/schema`;
    const refusal = {
      ...{ code: 40002, codeName: 'schemaMismatch', status: 400, title: 'Bad Request', message: MESSAGE },
      ...{ violations, schema },
    };
    expect(errorBody(refusal)).toEqual(written(refusal));
  }
});

test('a guess never gives a reason that is untrue: { error, message } is sent', async () => {
  const schemas = [
    object({ ok: { enum: [false] }, error: { ...text, ...CODES } }, 'ok', 'error'),
    object({ error: { const: 'channel_not_found' } }, 'error'),
    object({ key_of_reason: { ...text, examples: ['channel_not_found'] } }, 'key_of_reason'),
    object({ code: { ...integer, maximum: 99 } }, 'code'),
  ];
  const { bodies, warned } = await refuseAll(await documentOf(schemas));
  expect(bodies).toEqual(schemas.map(() => ({ error: 40002, message: MESSAGE })));
  expect(warned).toHaveLength(schemas.length);
});

test('nothing is guessed where the service writes the body itself', async () => {
  const error = object({ error: integer, message: text }, 'error', 'message');
  expect(renderErrorBody(await documentOf([error])).text).toContain(
    '(_refusal: Refusal): unknown => {\n  return undefined;\n};',
  );
  const details = object({ title: text, status: integer, detail: text, type: text });
  for (const mediaType of ['application/json', 'application/problem+json'])
    expect(renderErrorBody(await documentOf([details], mediaType)).text).toContain('return undefined;');
});

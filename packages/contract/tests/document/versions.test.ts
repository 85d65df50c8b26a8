import { compileOperations } from '../operations.ts';
import { decodeBody, documentFactory, jsonBody } from '../things.ts';

const { newDocument } = documentFactory();

/** Compiles a decoder for bodies of POST /things, from a document of a given version. */
const decoderFor = async (openapi: string, schema: object, more: object = {}) => {
  const post = { operationId: 'createThing', requestBody: jsonBody(schema), responses: {} };
  const document = await newDocument({ openapi, paths: { '/things': { post } }, ...more });
  const [operation] = await compileOperations(document, { checkReplies: true });
  return (text: string) => operation && decodeBody(operation, text);
};

const OLD: readonly [name: string, schema: object, accepted: string, refused: string][] = [
  ['nullable', { type: 'string', nullable: true }, 'null', '1'],
  ['nullable beside an enum', { type: 'string', enum: ['a'], nullable: true }, 'null', '"b"'],
  ['nullable beside allOf', { allOf: [{ type: 'string' }], nullable: true }, 'null', '1'],
  ['exclusiveMinimum', { type: 'integer', minimum: 1, exclusiveMinimum: true }, '2', '1'],
  ['exclusiveMaximum', { type: 'integer', maximum: 9, exclusiveMaximum: false }, '9', '10'],
];

test.each(['3.0.3', '3.1.0'].flatMap((version) => OLD.map((row) => [version, ...row] as const)))(
  'in %s %s has the meaning of OpenAPI 3.0',
  async (version, _name, schema, accepted, refused) => {
    const decode = await decoderFor(version, schema);
    expect(decode(accepted)).toBe(JSON.parse(accepted));
    expect(() => decode(refused)).toThrow('body');
  },
);

test.each([
  ['3.0.3', '"short"'],
  ['3.1.0', undefined],
])('keywords beside a reference apply since 3.1: %s', async (version, accepted) => {
  const components = { schemas: { Text: { type: 'string' } } };
  const decode = await decoderFor(
    version,
    { $ref: '#/components/schemas/Text', minLength: 9 },
    { components },
  );
  if (accepted === undefined) expect(() => decode('"short"')).toThrow('body');
  else expect(decode(accepted)).toBe('short');
});

test('a media type of 3.2 may be a reference', async () => {
  const document = await newDocument({
    openapi: '3.2.0',
    $self: 'https://example.com/things',
    components: { mediaTypes: { Thing: { schema: { type: 'integer' } } } },
    paths: {
      '/things': {
        post: {
          requestBody: { content: { 'application/json': { $ref: '#/components/mediaTypes/Thing' } } },
          responses: {},
        },
      },
    },
  });
  const operations = await compileOperations(document, { checkReplies: true });
  expect(operations.map(({ id }) => id)).toEqual(['postThings']);
  expect(operations.map((operation) => decodeBody(operation, '41'))).toEqual([41]);
  expect(() => operations.map((operation) => decodeBody(operation, '"a"'))).toThrow(
    'body must be an integer',
  );
});

test('a default that its own schema refuses is not used', async () => {
  const properties = {
    size: { type: 'integer', default: 'large' },
    tag: { type: 'string', default: 'blue' },
  };
  const decode = await decoderFor('3.1.0', { type: 'object', properties });
  expect(decode('{}')).toEqual({ tag: 'blue' });
});

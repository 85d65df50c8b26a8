import { jsonBody, ref, text } from '../support/documents.ts';
import { serveOperation } from '../support/operation.ts';

/** Decodes bodies by a schema, in a document of a given version. */
const decoderFor = async (openapi: string, requestBody: object, more: object = {}) => {
  const { receive } = await serveOperation({ requestBody }, { document: { openapi, ...more } });
  return async (body: string) =>
    (await receive('/things', { headers: { 'content-type': 'application/json' }, body })).body;
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
    const decode = await decoderFor(version, jsonBody(schema));
    expect(await decode(accepted)).toBe(JSON.parse(accepted));
    await expect(decode(refused)).rejects.toThrow('body');
  },
);

test.each([
  ['3.0.3', '"short"'],
  ['3.1.0', undefined],
])('keywords beside a reference apply since 3.1: %s', async (version, accepted) => {
  const components = { schemas: { Text: text } };
  const decode = await decoderFor(version, jsonBody({ ...ref('Text'), minLength: 9 }), { components });
  if (accepted === undefined) await expect(decode('"short"')).rejects.toThrow('body');
  else expect(await decode(accepted)).toBe('short');
});

test('a media type of 3.2 may be a reference', async () => {
  const content = { 'application/json': { $ref: '#/components/mediaTypes/Thing' } };
  const components = { mediaTypes: { Thing: { schema: { type: 'integer' } } } };
  const decode = await decoderFor('3.2.0', { content }, { $self: 'https://example.com/things', components });
  expect(await decode('41')).toBe(41);
  await expect(decode('"a"')).rejects.toThrow('body must be an integer');
});

test('a default that its own schema refuses is not used', async () => {
  const properties = {
    size: { type: 'integer', default: 'large' },
    tag: { type: 'string', default: 'blue' },
  };
  const decode = await decoderFor('3.1.0', jsonBody({ type: 'object', properties }));
  expect(await decode('{}')).toEqual({ tag: 'blue' });
});

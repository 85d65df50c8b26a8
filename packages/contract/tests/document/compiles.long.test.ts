import { allOperations, toJson } from '@trellis/openapi';
import { messageOf } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import { contractOf, json, ref, START, text } from '../support/documents.ts';
import { serve } from '../support/serve.ts';

const KEYWORDS = [
  ...['type', 'enum', 'const', 'required', 'properties', 'patternProperties', 'additionalProperties'],
  ...[
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
  ],
  ...[
    'items',
    'prefixItems',
    'contains',
    'minContains',
    'maxContains',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
  ...['unevaluatedProperties', 'unevaluatedItems', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...[
    'pattern',
    'format',
    'discriminator',
    'nullable',
    'readOnly',
    'writeOnly',
    'default',
    'title',
    '$comment',
  ],
  ...['$ref', '$dynamicRef', '$recursiveRef', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$id', 'id'],
  ...[
    '$schema',
    '$vocabulary',
    '$async',
    '$defs',
    'definitions',
    'contentEncoding',
    'contentSchema',
    'x-other',
  ],
];

const { schema: anySchema } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      3,
      '',
      'string',
      '(',
      '^a+$',
      '#',
      '#/',
      '#/components/schemas/Text',
    ),
    fc.constantFrom<unknown>(
      ['object', 'null'],
      ['a'],
      [],
      {},
      'int64',
      'date',
      '#x',
      'a b',
      9007199254740993n,
    ),
    tie('schema'),
    fc.array(tie('schema'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', '(', '__proto__', 'type'), tie('schema'), { maxKeys: 2 }),
  ),
  schema: fc.dictionary(fc.constantFrom(...KEYWORDS), tie('value'), { maxKeys: 4 }),
}));

test('every schema of a served document compiles, whatever its keywords', async () => {
  const property = fc.asyncProperty(fc.array(anySchema, { minLength: 1, maxLength: 3 }), async (schemas) => {
    const named = Object.fromEntries(schemas.map((schema, nth) => [`S${nth}`, schema]));
    const paths = schemas.map((_, nth) => {
      const { content } = json(ref(`S${nth}`));
      const responses = { 200: { description: '', content } };
      return [`/S${nth}`, { post: { operationId: `S${nth}`, requestBody: { content }, responses } }];
    });
    const components = { schemas: { Text: text, ...named } };
    const { document } = await contractOf({
      'openapi.yaml': toJson({ ...START, paths: Object.fromEntries(paths), components }),
    });
    const served = allOperations(document).map(({ operation }) => `${operation.operationId}`);
    const { send, errors } = await serve(
      document,
      Object.fromEntries(served.map((id) => [id, async () => ({ status: 200, body: {} })])),
    );
    for (const id of served) {
      await send(`/${id}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
      await send(`/${id}`, { method: 'POST' });
    }
    const breaks = /^the reply breaks the contract: status 200: body/;
    // A schema that applies itself to the same value overflows the call stack.
    const others = errors.filter((error) => !(error instanceof RangeError));
    expect(others.map(messageOf).filter((message) => !breaks.test(message))).toEqual([]);
  });
  await fc.assert(property, { numRuns: 300, seed: 41 });
});

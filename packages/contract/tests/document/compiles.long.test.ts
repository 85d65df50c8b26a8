import fc from 'fast-check';
import { adaptDocument } from '../../../openapi/src/document/adapt/adapt.ts';
import type { Accepts } from '../../src/validation/references.ts';
import { createValidators } from '../../src/validation/validators.ts';

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

/** Compiles a schema: its first value does. A schema that applies itself to the same value overflows the call stack. */
const compiles = (accepts: Accepts): void => {
  try {
    accepts(0, undefined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
};

test('every schema of a served document compiles, whatever its keywords', () => {
  fc.assert(
    fc.property(fc.array(anySchema, { minLength: 1, maxLength: 3 }), (schemas) => {
      const document = {
        openapi: '3.1.0',
        info: { title: 'Odd', version: '1' },
        paths: {},
        components: {
          schemas: {
            Text: { type: 'string' },
            ...Object.fromEntries(schemas.map((schema, index) => [`S${index}`, schema])),
          },
        },
      };
      const adapted = adaptDocument(document).document;
      for (const direction of ['request', 'reply'] as const) {
        const { acceptsAt } = createValidators(adapted, direction);
        for (const index of schemas.keys())
          expect(() => compiles(acceptsAt(`/components/schemas/S${index}`))).not.toThrow();
      }
    }),
    { numRuns: 300, seed: 41 },
  );
});

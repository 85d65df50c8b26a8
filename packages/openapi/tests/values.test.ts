import { spawnSync } from 'node:child_process';
import { compilePattern, discriminatedAt, placesOf, typesOf } from '@trellis/openapi/internal/schema';
import { createValues, shellQuote } from '@trellis/openapi/internal/values';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';

const text = { type: 'string' };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A schema of a few keywords that some value satisfies. */
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<object>(
      { type: 'string' },
      { type: 'string', minLength: 3, maxLength: 5 },
      { type: 'string', pattern: '^[a-f]{2}-\\d+$' },
      { type: 'integer', minimum: 5, multipleOf: 7 },
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { enum: ['a', 1, null] },
      { const: { deep: [true] } },
      { type: ['boolean', 'null'] },
    ),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.constantFrom(0, 1, 2),
    }),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'))
      .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

test('a value that is made for a schema is valid by that schema', () => {
  const ajv = new Ajv2020({ strict: false });
  fc.assert(
    fc.property(schema, (given) => {
      const document = { components: { schemas: { Given: given } } };
      const value = createValues(document)('/components/schemas/Given', { direction: 'request' });
      expect(ajv.validate(given as object, value)).toBe(true);
    }),
  );
});

test.each(['^<x>; rel=\\"next\\"$', '^[\\w-.]{3}$', '^\\p{Lu}$'])(
  'a text is made for %s, with the flag u or only valid without it',
  (pattern) => {
    const make = createValues({ components: { schemas: { Given: { type: 'string', pattern } } } });
    const value = make('/components/schemas/Given', { direction: 'request' });
    expect(compilePattern(pattern)?.test(String(value))).toBe(true);
  },
);

test('an example comes first, then a default', () => {
  const schemas = {
    Example: { type: 'string', examples: ['stated'], default: 'spare' },
    Default: { type: 'string', default: 'spare' },
  };
  const make = createValues({ components: { schemas } });
  const stated = (name: string) => make(`/components/schemas/${name}`, { direction: 'request' });
  expect(stated('Example')).toBe('stated');
  expect(stated('Default')).toBe('spare');
});

test('a request has nothing that is readOnly, a reply nothing that is writeOnly', () => {
  const properties = {
    id: { type: 'integer', const: 1, readOnly: true },
    secret: { const: 's', writeOnly: true },
  };
  const Account = { type: 'object', required: ['id', 'secret'], properties };
  const make = createValues({ components: { schemas: { Account } } });
  expect(make('/components/schemas/Account', { direction: 'request' })).toEqual({ secret: 's' });
  expect(make('/components/schemas/Account', { direction: 'reply' })).toEqual({ id: 1 });
});

test('a schema that no value satisfies has none, soon', () => {
  const schemas = {
    Never: { allOf: [text, { type: 'integer' }] },
    Endless: { type: 'object', required: ['next'], properties: { next: ref('Endless') } },
  };
  const make = createValues({ components: { schemas } });
  expect(make('/components/schemas/Never', { direction: 'request' })).toBeUndefined();
  expect(make('/components/schemas/Endless', { direction: 'request' })).toBeUndefined();
});

test('the types of a schema are the types that all applicable schemas allow', () => {
  const schemas = { A: { anyOf: [ref('B'), { const: 1 }] }, B: { type: ['string', 'null'] } };
  const document = { components: { schemas } };
  expect(placesOf(document, '/components/schemas/A')).toContain('/components/schemas/B');
  expect([...typesOf(document, '/components/schemas/A')].sort()).toEqual(['null', 'number', 'string']);
});

test('a discriminator names branches by mapping, else by constant, else by name', () => {
  const schemas = {
    Pet: {
      oneOf: [ref('Cat'), ref('Dog'), ref('Owl')],
      discriminator: { propertyName: 'kind', mapping: { puss: 'Cat' } },
    },
    Cat: { type: 'object' },
    Dog: { properties: { kind: { const: 'dog' } } },
    Owl: { type: 'object' },
  };
  const union = discriminatedAt({ components: { schemas } }, '/components/schemas/Pet');
  expect([...(union?.branches.keys() ?? [])]).toEqual(['puss', 'dog', 'Owl']);
});

test('a shell reads a quoted text unchanged', () => {
  for (const given of ["it's", '$(touch x) `id` "', 'a\nb', 'ü', ''])
    expect(spawnSync('bash', ['-c', `printf %s ${shellQuote(given)}`], { encoding: 'utf8' }).stdout).toBe(
      given,
    );
});

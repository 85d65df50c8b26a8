import fc from 'fast-check';
import { fromDocument, type Json, type Schema, toJson } from './from-schema.ts';

const SEED = 41;
const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };
const document = {
  components: {
    schemas: {
      Base: { type: 'object', required: ['name'], properties: { name: text } },
      Left: { type: 'object', required: ['kind'], properties: { kind: text, left: int64 } },
      Right: { type: 'object', required: ['kind'], properties: { kind: text, right: int64 } },
      Tree: {
        oneOf: [int64, { type: 'array', items: { $ref: '#/components/schemas/Tree' }, minItems: 1 }],
      },
    },
  },
};
const { arbitraryOf, violationsOf, accepts } = fromDocument(document);

const SCHEMAS: Readonly<Record<string, Schema>> = {
  'a schema that takes everything': true,
  'text of bounded length': { ...text, minLength: 2, maxLength: 3 },
  'text of a pattern': { ...text, pattern: '^[a-c]{2,4}$' },
  'a member in each format': {
    type: 'object',
    properties: Object.fromEntries(
      ['date-time', 'date', 'time', 'email', 'uuid', 'uri', 'hostname', 'ipv4', 'ipv6', 'byte'].map(
        (format) => [format, { ...text, format }],
      ),
    ),
  },
  'an integer between bounds': { type: 'integer', minimum: -2, exclusiveMaximum: 5 },
  'an integer with a step': { type: 'integer', multipleOf: 5 },
  'an int32': { type: 'integer', format: 'int32' },
  'an int64': int64,
  'a number above a bound': { type: 'number', exclusiveMinimum: 0 },
  'several types': { type: ['integer', 'null', 'boolean'], format: 'int64' },
  'an enum': { enum: ['red', 'green', null] },
  'a constant': { const: { deep: [1] } },
  'a list': { type: 'array', items: text, minItems: 1, maxItems: 3, uniqueItems: true },
  'a tuple': { type: 'array', prefixItems: [text, int64], items: false, minItems: 2 },
  'an open object': { type: 'object', required: ['id'], properties: { id: int64, tag: text } },
  'a closed object': { type: 'object', properties: { tag: text }, additionalProperties: false },
  'a map': { type: 'object', additionalProperties: int64 },
  'all of several, one by reference': {
    allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['id'], properties: { id: int64 } }],
    unevaluatedProperties: false,
  },
  'a union with overlapping branches': { oneOf: [{ type: 'number' }, { type: 'integer' }, text] },
  'any of two': { anyOf: [{ $ref: '#/components/schemas/Base' }, { type: 'array', items: text }] },
  'a tree': { $ref: '#/components/schemas/Tree' },
  'a chosen branch': {
    discriminator: { propertyName: 'kind', mapping: { first: '#/components/schemas/Left' } },
    oneOf: [{ $ref: '#/components/schemas/Left' }, { $ref: '#/components/schemas/Right' }],
  },
  'members that only replies have': {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { ...int64, readOnly: true }, name: text },
    additionalProperties: false,
  },
  'members of a pattern': {
    type: 'object',
    patternProperties: { '^x-[a-z]+$': int64 },
    additionalProperties: false,
    minProperties: 1,
  },
  'names of a form': { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 2 },
  'one thing or the other': {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: ['a', 'b'] } },
    if: { properties: { kind: { const: 'a' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['more'], properties: { more: int64 } },
    else: { properties: { more: { type: 'null' } } },
  },
  'a list with something in it': { type: 'array', items: text, contains: { const: 'x' }, maxItems: 3 },
  'members that ask for each other': {
    type: 'object',
    properties: { card: text, address: text },
    dependentRequired: { card: ['address'] },
    additionalProperties: false,
  },
  'what only its examples tell': {
    type: 'string',
    pattern: '^(?=.*\\d)(?=.*[a-z])\\w{8}$',
    examples: ['abcdefg1'],
  },
  'a reference with siblings': {
    $ref: '#/components/schemas/Base',
    required: ['tag'],
    properties: { name: { minLength: 1 }, tag: { type: ['string', 'null'] } },
  },
};

const sample = (schema: Schema, numRuns = 100): Json[] =>
  fc.sample(arbitraryOf(schema), { seed: SEED, numRuns });

describe.each(Object.entries(SCHEMAS))('%s', (_name, schema) => {
  test('makes only values that an independent validator accepts', () => {
    for (const value of sample(schema, 50))
      expect([toJson(value), accepts(schema, value)]).toEqual([toJson(value), true]);
  });

  test('makes only violations that an independent validator refuses', () => {
    const violations = sample(schema, 10).flatMap((value) => violationsOf(schema, value));
    expect(violations.filter(({ value }) => accepts(schema, value))).toEqual([]);
    expect(violations.length > 0).toBe(schema !== true);
  });
});

test('text is well-formed, and reaches beyond the basic plane', () => {
  const made = sample(text).map(String);
  expect(made.filter((each) => !each.isWellFormed() || each.includes('\0'))).toEqual([]);
  expect(made.some((each) => /[\u{10000}-\u{10ffff}]/u.test(each))).toBe(true);
});

test('both ends of int64, and the neighbours of 2^53, are among a hundred int64s', () => {
  expect(sample(int64)).toEqual(
    expect.arrayContaining([-(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n]),
  );
});

test('an open object has unknown members now and then', () => {
  const strangers = sample({ type: 'object', properties: { tag: text } })
    .flatMap((value) => Object.keys(Object(value)))
    .filter((name) => name !== 'tag');
  expect(strangers).toEqual(expect.arrayContaining(['constructor', 'toString']));
});

test('a discriminator is written as in its mapping, else as the name of the schema', () => {
  const kinds = sample(SCHEMAS['a chosen branch'] ?? false).map((value) => Object(value).kind);
  expect(new Set(kinds)).toEqual(new Set(['first', 'Right']));
});

test('members that only replies have are not sent in a request, and not missing there', () => {
  const made = sample(SCHEMAS['members that only replies have'] ?? false);
  expect(made.filter((value) => Object.keys(Object(value)).join() !== 'name')).toEqual([]);
});

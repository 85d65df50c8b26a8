import { fromDocument, type Json, type Schema } from './from-schema.ts';

const { violationsOf } = fromDocument({});

const namesOf = (schema: Schema, valid: Json): string[] =>
  violationsOf(schema, valid).map(({ name }) => name);

test('a required member can be missing, and every member can have any other type', () => {
  const schema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer', format: 'int64' }, tag: { type: ['string', 'null'] } },
  };
  expect(namesOf(schema, { id: 1n, tag: null })).toEqual([
    'body as null',
    'body as a boolean',
    'body as a fraction',
    'body as a number',
    'body as a string',
    'body as an array',
    'body in a list',
    'body.id missing',
    'body.id as null',
    'body.id as a boolean',
    'body.id as a fraction',
    'body.id as a string',
    'body.id as an array',
    'body.id as an object',
    'body.id below int64',
    'body.id above int64',
    'body.id far above int64',
    'body.tag as a boolean',
    'body.tag as a fraction',
    'body.tag as a number',
    'body.tag as an array',
    'body.tag as an object',
  ]);
});

test.each<[string, Schema, Json, string[]]>([
  [
    'lengths and formats',
    { minLength: 2, maxLength: 36, format: 'uuid', pattern: '-' },
    '6b5f3a52-9f0c-4b5e-8b1c-0d8f3f1e2a4b',
    ['body shorter than 2', 'body longer than 36', 'body in no uuid format', 'body off its pattern'],
  ],
  [
    'bounds and steps',
    { format: 'int32', minimum: 5, maximum: 15, multipleOf: 5 },
    10,
    ['body below int32', 'body above int32', 'body below 5', 'body above 15', 'body no multiple of 5'],
  ],
  [
    'exclusive bounds',
    { exclusiveMinimum: 0, exclusiveMaximum: 1 },
    0.5,
    ['body at 0, which is excluded', 'body at 1, which is excluded'],
  ],
  ['enums', { enum: ['red', 'green'] }, 'red', ['body outside its enum']],
  [
    'counts of items',
    { minItems: 1, maxItems: 2, uniqueItems: true },
    [1],
    ['body of fewer than 1', 'body of more than 2', 'body with an item twice'],
  ],
  [
    'counts of members',
    { type: ['object', 'string', 'number', 'boolean', 'array', 'null'], minProperties: 2, maxProperties: 3 },
    { a: 1, b: 2 },
    ['body of fewer than 2 members', 'body of more than 3 members'],
  ],
  [
    'names of members',
    { propertyNames: { maxLength: 2 } },
    { ab: 1 },
    ['body with a name that is not allowed'],
  ],
  [
    'members of a pattern',
    { properties: { xy: { minimum: 2 } }, patternProperties: { '^x': { maximum: 5 } } },
    { xy: 3, xz: 3, z: 3 },
    ['body.xy below 2', 'body.xy above 5', 'body.xz above 5'],
  ],
  [
    'what must not be',
    { allOf: [{ not: { const: 1 } }, { not: { const: 2 } }] },
    3,
    ['body as it must not be'],
  ],
  [
    'closed objects',
    { properties: { a: true }, additionalProperties: false },
    { a: 1 },
    ['body.stranger added'],
  ],
])('the violations of %s are all found', (_name, schema, valid, names) => {
  const found = namesOf(schema, valid);
  expect(names.filter((name) => !found.some((each) => each.startsWith(name)))).toEqual([]);
});

test('violations are found in items and in members of members', () => {
  const schema = { properties: { 'odd name': { items: { minimum: 1 } } } };
  const found = (index: number, value: Json) => ({
    name: `body["odd name"][${index}] below 1`,
    kind: 'body["odd name"][] below 1',
    named: `body["odd name"][${index}]`,
    value,
  });
  expect(violationsOf(schema, { 'odd name': [1, 2] })).toEqual([
    found(0, { 'odd name': [0, 2] }),
    found(1, { 'odd name': [1, 0] }),
  ]);
});

test('a value that another branch of a union accepts is not a violation', () => {
  const schema = { oneOf: [{ type: 'string' }, { type: 'null' }] };
  expect(namesOf(schema, 'text')).not.toContain('body as null');
  expect(namesOf(schema, 'text')).toContain('body as a boolean');
});

test('a value that one branch refuses is not a violation if another branch accepts it', () => {
  const schema = { anyOf: [{ type: 'string', not: { const: 'x' } }, { enum: ['x'] }] };
  expect(namesOf(schema, 'text')).not.toContain('body as it must not be');
});

test('a value that the rest of a schema rules out is not a separate violation', () => {
  const schema = {
    required: ['a', 'b'],
    minProperties: 2,
    not: { type: 'object', required: ['c'] },
    properties: { c: false },
  };
  expect(namesOf(schema, { a: 1, b: 2 })).toEqual(['body.a missing', 'body.b missing']);
});

test('the search for names of more members ends in time', () => {
  const schema = { type: 'object', propertyNames: { maxLength: 0 }, maxProperties: 2 };
  expect(namesOf(schema, {})).not.toContain('body of more than 2 members');
});

test('a name that every object inherits is required like any other', () => {
  const schema: Schema = {
    allOf: [{ dependentRequired: { a: ['b'] } }, { dependentRequired: { constructor: ['c'], a: ['d'] } }],
  };
  expect(namesOf(schema, { a: 1, b: 2, c: 3, d: 4, constructor: 5 })).toEqual(
    expect.arrayContaining(
      ['b missing beside a', 'd missing beside a', 'c missing beside constructor'].map(
        (name) => `body.${name}`,
      ),
    ),
  );
});

test('a violation inside a union is named by the union, because the intended branch is unknown', () => {
  const schema = {
    properties: { either: { oneOf: [{ type: 'array', items: { minimum: 1 } }, { type: 'null' }] } },
  };
  const found = violationsOf(schema, { either: [1] }).find(({ name }) => name.startsWith('body.either[0] '));
  expect(found?.named).toBe('body.either');
});

test('a member is missing beside the member that requires it', () => {
  const schema = { type: 'object', dependentRequired: { card: ['address'] } };
  expect(namesOf(schema, { card: 1, address: 2 })).toContain('body.address missing beside card');
  expect(namesOf(schema, { address: 2 })).not.toContain('body.address missing beside card');
});

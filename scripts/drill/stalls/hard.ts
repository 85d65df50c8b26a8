/** Text to put around another text, repeatedly. */
export type Wrap = readonly [open: string, close: string];

/** A schema that is hard to judge, and what a body must be made of to keep the service busy with it. */
export interface Hard {
  readonly schema: object;
  /** What the body can be nested in. */
  readonly wraps?: readonly Wrap[];
  /** What holds many items; a list by default. */
  readonly holds?: Wrap;
  /** Valid and invalid values. `#` stands for a number that grows. */
  readonly items: readonly string[];
}

const split = (texts: string): string[] => texts.split(' ');
const object = (start: string, end = ''): Wrap => [`{${start}`, `${end}}`];
const listOf = (items: object): object => ({ type: 'array', items });
const INT64 = { type: 'integer', format: 'int64' };
/** Refers to the schema of a body, by the path of its operation. */
const ref = (path: string): object => ({ $ref: `#/components/schemas/${path.slice(1)}` });

const SPECIAL = split('__proto__ constructor then 4294967294 \\u005f_proto__ \\u0000 \\ud800 #');

/** Anything: names and texts that are many, alike, special, or that no store can keep. They come back in the reply. */
const ANYTHING: Hard = {
  schema: {},
  wraps: [
    ['[', ']'],
    ...SPECIAL.map((name) => object(`"${name}":`)),
    object('"":'),
    object(`"${'n'.repeat(16_400)}":`),
  ],
  items: [
    ...split('"\\u0000" "a\\ud800" {"\\u0000#":0} {"#":[]} "\\ud83d\\ude00" 9007199254740993 1e1'),
    `"${'\\"'.repeat(30_000)}"`,
  ],
};

/** JSON for schemas that are hard to judge, by the path of the operation that takes it. `/plants` has its own schema. */
export const HARD: Readonly<Record<string, Hard>> = {
  '/plants': ANYTHING,
  '/anything': ANYTHING,
  '/maps': {
    schema: { type: 'object', additionalProperties: ref('/maps') },
    wraps: [object('"a":')],
    holds: object(''),
    items: split('"#":{} "#":1 "a":[]'),
  },
  /** A recursive union. The member that tells the kind of a node comes after the nested node. */
  '/chains': {
    schema: {
      oneOf: [
        ...['a', 'b', 'c'].map((kind) => ({
          type: 'object',
          required: ['kind'],
          properties: {
            next: ref('/chains'),
            count: { ...INT64, minimum: -9, default: 1 },
            kind: { const: kind },
          },
        })),
        ...[{ type: 'null' }, INT64],
      ],
    },
    wraps: ['a', 'b', 'c'].map((kind) => object('"next":', `,"count":1,"kind":"${kind}"`)),
    items: split('null 9007199254740993 1e1 "" {"kind":"d"} {} {"kind":"a"}'),
  },
  /** A recursive union of which several branches fit. */
  '/lists': {
    schema: {
      anyOf: [
        listOf(ref('/lists')),
        { ...listOf({ anyOf: [ref('/lists'), INT64] }), maxItems: 5000 },
        { type: 'object', additionalProperties: ref('/lists') },
        { ...INT64, minimum: -9 },
        { type: 'string', maxLength: 9 },
      ],
    },
    wraps: [['[', ']']],
    items: split('1 9007199254740993 "a" null {"a":1} 1e1'),
  },
  '/sets': {
    schema: { type: ['array', 'integer', 'object', 'string'], uniqueItems: true, items: ref('/sets') },
    wraps: [
      ['[', ']'],
      ['[1,', ']'],
    ],
    items: [...split('# "#" {"a":1,"b":[1,2],"c":#} [[],[[#]]]'), `${'['.repeat(50)}#${']'.repeat(50)}`],
  },
  /** A hundred thousand digits, huge exponents, odd notations. */
  '/numbers': {
    schema: listOf({
      anyOf: [
        { ...INT64, maximum: 9_007_199_254_740_993n },
        { type: 'number', multipleOf: 0.01, minimum: -1, maximum: 1e300 },
        { enum: [9_007_199_254_740_993n, 1] },
      ],
    }),
    items: [
      ...['1'.repeat(99_000), `0.${'0'.repeat(99_000)}1`, `1${'0'.repeat(98_000)}e-98000`],
      `1e${'9'.repeat(90_000)}`,
      ...split('1e999999999 -1e999999999 1e-999999999 9007199254740993 1.0 100000000000000000000e-20 0.07'),
    ],
  },
  /** Thousands of violations. */
  '/strict': {
    schema: {
      type: 'object',
      required: ['a', 'b', 'c'],
      properties: { a: INT64, b: { enum: Array.from({ length: 300 }, (_, nth) => `${nth}`) } },
      patternProperties: { '^x': { type: 'string', minLength: 2, pattern: '^[a-z]+$' } },
      propertyNames: { maxLength: 8, pattern: '^[a-z0-9]*$' },
      dependentRequired: { a: ['d', 'e'] },
      unevaluatedProperties: { ...INT64, multipleOf: 3 },
    },
    holds: object(''),
    items: [...split('"x#":1 "#":1 "#a":3'), `"${'n'.repeat(2000)}#":1`],
  },
  '/words': {
    schema: listOf({ type: 'string', pattern: '^(?:[a-z]+,)*[a-z]+$', minLength: 2, maxLength: 50_000 }),
    items: [...split('"" "a" "a," 1 "A"'), ...['a', 'a,', 'aa,'].map((unit) => `"${unit.repeat(16_000)}!"`)],
  },
};

const LISTS = Array.from({ length: 20 }, (_, nth) =>
  listOf(nth % 2 === 0 ? { type: 'integer', maximum: nth } : { type: 'string', maxLength: nth }),
);
/** What a query or a form can hold. */
const MEMBERS = {
  ids: listOf(INT64),
  union: { anyOf: LISTS },
  deep: { type: 'object', additionalProperties: INT64 },
  piped: listOf({ type: 'integer' }),
  json: { type: 'object', additionalProperties: { type: 'array' } },
};
const PARAMETERS = [
  ...Object.entries(MEMBERS).map(([name, schema]) => ({
    ...{ name, in: 'query', schema },
    ...(name === 'deep' && { style: 'deepObject' }),
    ...(name === 'piped' && { style: 'pipeDelimited', explode: false }),
  })),
  { name: 'X-Ids', in: 'header', schema: MEMBERS.ids },
  { name: 'session', in: 'cookie', schema: MEMBERS.ids },
];

const JSON_TYPE = 'application/json';
const FORM = 'multipart/form-data';
const PATHS = Object.keys(HARD).filter((path) => path !== '/plants');

/** The operations of the hard document, each with the media type of its body. Those that take JSON return it. */
export const OPERATIONS: readonly { path: string; type?: string }[] = [
  ...PATHS.map((path) => ({ path, type: JSON_TYPE })),
  { path: '/parts', type: FORM },
  { path: '/search' },
];

const takes = (operationId: string, type: string, schema: object, responses: object): object => ({
  post: { operationId, requestBody: { required: true, content: { [type]: { schema } } }, responses },
});
const TAKEN = { '204': { description: 'Taken' } };

/** The hard document, with a description of a megabyte. */
export const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Hard to serve', version: '1.0.0', description: 'Read on. '.repeat(110_000) },
  paths: {
    ...Object.fromEntries(
      PATHS.map((path) => {
        const returned = { description: 'What was sent', content: { [JSON_TYPE]: { schema: ref(path) } } };
        return [path, takes(path, JSON_TYPE, ref(path), { '200': returned })];
      }),
    ),
    '/parts': takes('/parts', FORM, { type: 'object', properties: MEMBERS }, TAKEN),
    '/search': { get: { operationId: '/search', parameters: PARAMETERS, responses: TAKEN } },
  },
  components: { schemas: Object.fromEntries(PATHS.map((path) => [path.slice(1), HARD[path]?.schema])) },
};

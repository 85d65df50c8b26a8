import { type Choices, type StallClass, toHard, toPlants } from './case.ts';
import { INT64, listOf, ref } from './schemas.ts';
import { BODY_ROOM, list, nest, type Wrap } from './texts.ts';

/** A schema, and what a body must be made of to keep the service busy with it. */
interface Hard {
  readonly schema: object;
  /** What the body can be nested in. */
  readonly wraps?: readonly Wrap[];
  /** What holds many items; a list by default. */
  readonly holds?: Wrap;
  /** Valid and invalid values. `#` stands for a number that grows. */
  readonly items: readonly string[];
}

const LIST: Wrap = ['[', ']'];
const object = (start: string, end = ''): Wrap => [`{${start}`, `${end}}`];
const split = (texts: string): string[] => texts.split(' ');

const DEPTHS = [8, 16, 24, 100, 500, 2000, 10_000, 50_000];
const COUNT = { ...INT64, minimum: -9, default: 1 };

/** Nodes of a chain. The member that tells their kind comes after the nested node. */
const chainOf = (keyword: string, path: string): Hard => ({
  schema: {
    [keyword]: [
      ...['a', 'b', 'c'].map((kind) => ({
        type: 'object',
        required: ['kind'],
        properties: { next: ref(path), count: COUNT, kind: { const: kind } },
      })),
      { type: 'null' },
      INT64,
    ],
  },
  wraps: ['a', 'b', 'c'].map((kind) => object('"next":', `,"count":1,"kind":"${kind}"`)),
  items: split('null 9007199254740993 1e1 "" {"kind":"d"} {} {"kind":"a"}'),
});

const overlapping = (path: string, keyword: string): Hard => ({
  schema: {
    [keyword]: [
      listOf(ref(path)),
      { ...listOf({ anyOf: [ref(path), INT64] }), maxItems: 5000 },
      { type: 'object', additionalProperties: ref(path) },
      { ...INT64, minimum: -9 },
      { type: 'string', maxLength: 9 },
    ],
  },
  wraps: [LIST],
  items: split('1 9007199254740993 "a" null {"a":1} 1e1'),
});

/** Numbers with a hundred thousand digits, or with huge exponents, or in an odd notation. */
const NUMBERS = [
  ...[
    '1'.repeat(99_000),
    `0.${'0'.repeat(99_000)}1`,
    `1${'0'.repeat(98_000)}e-98000`,
    `1e${'9'.repeat(90_000)}`,
  ],
  ...split(
    '1e999999999 -1e999999999 1e-999999999 9007199254740993 1e1 1.0 100000000000000000000e-20 0.07 1#',
  ),
];

const STRICT = {
  type: 'object',
  required: ['a', 'b', 'c'],
  properties: { a: INT64, b: { enum: Array.from({ length: 300 }, (_, nth) => `${nth}`) } },
  patternProperties: { '^x': { type: 'string', minLength: 2, pattern: '^[a-z]+$' } },
  propertyNames: { maxLength: 8, pattern: '^[a-z0-9]*$' },
  dependentRequired: { a: ['d', 'e'] },
  additionalProperties: false,
};
const SPECIAL = split('__proto__ constructor then 4294967294 \\u005f_proto__ \\u0000 \\ud800 #').concat('');

/** Anything: names and texts that are many, alike, special, or that no store can keep. They come back in the reply. */
const ANYTHING: Hard = {
  schema: {},
  wraps: [LIST, ...SPECIAL.map((name) => object(`"${name}":`)), object(`"${'n'.repeat(16_400)}":`)],
  items: [
    ...split('"\\u0000" "a\\ud800" {"\\u0000#":0} {"#":[]} "\\ud83d\\ude00" 9007199254740993 1e1'),
    `"${'\\"'.repeat(30_000)}"`,
  ],
};

const HARD: Readonly<Record<string, Readonly<Record<string, Hard>>>> = {
  'names and texts': { '/anything': ANYTHING, '/plants': ANYTHING },
  'recursive schemas': {
    '/maps': {
      schema: { type: 'object', additionalProperties: ref('/maps') },
      wraps: [object('"a":')],
      holds: object(''),
      items: split('"#":{} "#":1 "a":[]'),
    },
    '/boxes': {
      schema: {
        type: 'object',
        required: ['kind', 'size'],
        properties: {
          kind: { type: 'string' },
          size: { ...INT64, default: 0 },
          boxes: listOf(ref('/boxes')),
          inner: ref('/boxes'),
        },
      },
      wraps: [object('"kind":"a","size":1,"inner":'), object('"inner":'), object('"size":"","inner":')],
      holds: ['{"boxes":[', ']}'],
      items: split('{} {"kind":"a","size":1}'),
    },
  },
  'recursive unions': {
    '/one-of': chainOf('oneOf', '/one-of'),
    '/any-of': chainOf('anyOf', '/any-of'),
    '/lists-any': overlapping('/lists-any', 'anyOf'),
    '/lists-one': overlapping('/lists-one', 'oneOf'),
  },
  uniqueItems: {
    '/sets': {
      schema: { type: 'array', uniqueItems: true },
      items: split('# 9007199254740# "#" {"a":#} {"a":1,"b":[1,2],"c":#} [#] [[],[[#]]]'),
    },
    '/nested-sets': {
      schema: { type: ['array', 'integer'], uniqueItems: true, items: ref('/nested-sets') },
      wraps: [LIST, ['[1,', ']']],
      items: ['#', `${'['.repeat(50)}#${']'.repeat(50)}`],
    },
  },
  numbers: {
    '/numbers': {
      schema: {
        type: 'object',
        properties: { next: ref('/numbers'), numbers: listOf({ ...INT64, maximum: 9_007_199_254_740_993n }) },
      },
      wraps: [object('"next":')],
      holds: ['{"numbers":[', ']}'],
      items: NUMBERS,
    },
    '/amounts': {
      schema: listOf({
        anyOf: [
          { type: 'number', multipleOf: 0.01, minimum: -1, maximum: 1e300 },
          { enum: [9_007_199_254_740_993n, 1] },
          { const: 9_223_372_036_854_775_807n },
        ],
      }),
      items: NUMBERS,
    },
  },
  'thousands of violations': {
    '/strict': {
      schema: STRICT,
      holds: object(''),
      items: [...split('"x#":1 "#":1'), `"${'n'.repeat(2000)}#":1`],
    },
    '/open-members': {
      schema: {
        type: 'object',
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        properties: { a: { type: 'integer' } },
        unevaluatedProperties: { ...INT64, multipleOf: 3 },
      },
      holds: object(''),
      items: split('"#a":1 "#a":3 "#a":"" "#a":9007199254740993'),
    },
    '/words': {
      schema: listOf({ type: 'string', pattern: '^(?:[a-z]+,)*[a-z]+$', minLength: 2, maxLength: 50_000 }),
      items: [
        ...split('"" "a" "a," 1 "A"'),
        ...['a', 'a,', 'aa,'].map((unit) => `"${unit.repeat(16_000)}!"`),
      ],
    },
  },
};

const send = (path: string, value: string) =>
  path === '/plants' ? toPlants(`{"id":1,"name":"a","z":${value}}`) : toHard(path, value);

/** Three bodies for a schema: one value deep inside, many side by side, and many deep inside. */
const casesOf = ([path, { wraps, holds = LIST, items }]: [string, Hard]) => {
  const wide = (item: string, room: number) => holds[0] + list(item, room - holds.join('').length) + holds[1];
  const wrapsOf = ({ pick }: Choices) => pick(wraps ?? [], ...(wraps ?? []).map((wrap) => [wrap]));
  const deep = {
    [`${path}, deep`]: (choices: Choices) =>
      send(path, nest(wrapsOf(choices), choices.pick(...DEPTHS), choices.pick(...items))),
    [`${path}, deep and wide`]: (choices: Choices) => {
      const room = choices.pick(300, BODY_ROOM / 2, BODY_ROOM - 100);
      return send(path, nest(wrapsOf(choices), choices.pick(...DEPTHS), wide(choices.pick(...items), room)));
    },
  };
  return {
    [`${path}, wide`]: ({ pick }: Choices) => send(path, wide(pick(...items), BODY_ROOM)),
    ...(wraps && deep),
  };
};

/** JSON at the limit for schemas that are hard to judge. */
export const JSON_CLASSES: readonly StallClass[] = Object.entries(HARD).map(([title, schemas]) => ({
  title,
  bodies: Object.fromEntries(
    Object.entries(schemas).flatMap(([path, { schema }]) => (path === '/plants' ? [] : [[path, schema]])),
  ),
  cases: Object.assign({}, ...Object.entries(schemas).map(casesOf)),
}));

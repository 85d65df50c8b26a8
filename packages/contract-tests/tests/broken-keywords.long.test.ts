import { valueChecks } from './values-service.ts';

const check = valueChecks();

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const sizeOf = (value: unknown): number => Object.keys(Object(value)).length;

/** A keyword, its requirement, and the violation that a service accepts if it ignores the keyword. */
const KEYWORDS: readonly (readonly [
  keyword: string,
  schema: string,
  asks: (value: unknown) => boolean,
  isOtherwiseRight: (value: unknown) => boolean,
  told: readonly string[],
])[] = [
  [
    'minProperties',
    '{ type: object, minProperties: 2 }',
    (value) => sizeOf(value) >= 2,
    isMembers,
    [
      'body of fewer than 2 members: expected 400, got 200',
      "--data-raw '{}'",
      '#/components/schemas/Value/minProperties',
    ],
  ],
  [
    'maxProperties',
    '{ type: object, maxProperties: 2, properties: { a: true, b: true, c: true }, additionalProperties: false }',
    (value) => sizeOf(value) <= 2,
    (value) => isMembers(value) && Object.keys(value).every((name) => ['a', 'b', 'c'].includes(name)),
    ['body of more than 2 members: expected 400, got 200', '#/components/schemas/Value/maxProperties'],
  ],
  [
    'propertyNames',
    '{ type: object, propertyNames: { pattern: "^[a-z]{3}$" } }',
    (value) => Object.keys(Object(value)).every((name) => /^[a-z]{3}$/.test(name)),
    isMembers,
    [
      'body with a name that is not allowed: expected 400, got 200',
      '#/components/schemas/Value/propertyNames',
    ],
  ],
  [
    'patternProperties',
    '{ type: object, minProperties: 1, patternProperties: { "^x-[a-c]$": { type: boolean } }, additionalProperties: false }',
    (value) => Object.values(Object(value)).every((member) => typeof member === 'boolean'),
    (value) =>
      isMembers(value) && sizeOf(value) > 0 && Object.keys(value).every((name) => /^x-[a-c]$/.test(name)),
    ['as a string: expected 400, got 200', '#/components/schemas/Value/patternProperties/^x-[a-c]$/type'],
  ],
  [
    'not',
    '{ type: string, maxLength: 4, not: { enum: [root, me] } }',
    (value) => value !== 'root' && value !== 'me',
    (value) => typeof value === 'string' && [...value].length <= 4,
    ['body as it must not be: expected 400, got 200', `--data-raw '"me"'`, '#/components/schemas/Value/not'],
  ],
  [
    'dependentRequired',
    '{ type: object, dependentRequired: { card: [address] } }',
    (value) => !Object.hasOwn(Object(value), 'card') || Object.hasOwn(Object(value), 'address'),
    isMembers,
    [
      'body.address missing beside card: expected 400, got 200',
      '#/components/schemas/Value/dependentRequired',
    ],
  ],
];

test.each(KEYWORDS)(
  'a service that honours %s keeps its contract',
  async (_, schema, asks, isOtherwiseRight) => {
    const takes = (body: string) => isOtherwiseRight(JSON.parse(body)) && asks(JSON.parse(body));
    const { text, failures } = await check(schema, { takes });
    expect([text, failures]).toEqual([expect.stringContaining('sendValue'), 0]);
  },
);

test.each(KEYWORDS)(
  'a service that does not look at %s is caught',
  async (_, schema, _asks, isOtherwiseRight, told) => {
    const takes = (body: string) => isOtherwiseRight(JSON.parse(body));
    const { text } = await check(schema, { takes });
    for (const each of told) expect(text).toContain(each);
  },
);

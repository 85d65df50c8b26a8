import { jest } from '@jest/globals';
import { valueChecks } from '../values-service.ts';

// Each test sends some hundred requests, which take long on a busy machine.
jest.setTimeout(60_000);

const check = valueChecks();

type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined);
const has = (value: unknown, name: string): boolean => isMembers(value) && Object.hasOwn(value, name);
const NAMED = '{ type: object, required: [name], properties: { name: { type: string } } }';
const isNamed = (value: unknown): boolean => typeof member(value, 'name') === 'string';
const nameIn = (value: unknown): string => String(member(value, 'name'));

const OPTIONS = `{ type: object, properties: { ${['a', 'b', 'c', 'd', 'e']
  .map((name) => `${name}: { type: boolean }`)
  .join()} } }`;
const isOptions = (value: unknown): boolean =>
  isMembers(value) &&
  ['a', 'b', 'c', 'd', 'e'].every((name) => !has(value, name) || typeof value[name] === 'boolean');

const DAY = '{ type: string, format: date }';
const isDay = (value: unknown): boolean => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
};

/** Valid data that a service cannot handle, and the failure that reports it. */
const STUMBLES: readonly (readonly [
  on: string,
  schema: string,
  isRight: (value: unknown) => boolean,
  stumbles: (value: unknown) => boolean,
  told: string,
])[] = [
  ['an emoji', NAMED, isNamed, (value) => /^🌱$/u.test(nameIn(value)), 'body.name with an emoji'],
  [
    'a quote',
    NAMED,
    isNamed,
    (value) => nameIn(value).includes("'"),
    'body.name with quotes and a backslash',
  ],
  ['an empty text', NAMED, isNamed, (value) => nameIn(value) === '', 'body.name empty'],
  ['256 characters', NAMED, isNamed, (value) => nameIn(value).length === 256, 'body.name of 256 characters'],
  [
    'a member of no name',
    NAMED,
    isNamed,
    (value) => has(value, '$where'),
    'body with a member "$where" that is not declared',
  ],
  [
    'four characters beyond the basic plane',
    '{ type: string, maxLength: 4 }',
    (value) => typeof value === 'string' && [...value].length <= 4,
    (value) => typeof value === 'string' && value.length > 4,
    'body of 4 characters beyond the basic plane',
  ],
  [
    'the largest value',
    '{ type: integer, minimum: 3, maximum: 77 }',
    (value) => Number.isInteger(value) && Number(value) >= 3 && Number(value) <= 77,
    (value) => value === 77,
    'body as 77',
  ],
  [
    'an empty list',
    '{ type: array, items: { type: string }, maxItems: 9 }',
    (value) => Array.isArray(value) && value.length <= 9 && value.every((each) => typeof each === 'string'),
    (value) => Array.isArray(value) && value.length === 0,
    'body of 0 items',
  ],
  [
    'as many items as there may be',
    '{ type: array, items: { type: integer }, maxItems: 40, uniqueItems: true }',
    (value) =>
      Array.isArray(value) &&
      value.length <= 40 &&
      new Set(value).size === value.length &&
      value.every(Number.isInteger),
    (value) => Array.isArray(value) && value.length === 40,
    'body of 40 items',
  ],
  ['a leap day', DAY, isDay, (value) => value === '2024-02-29', 'body as "2024-02-29"'],
  ['the last day', DAY, isDay, (value) => value === '9999-12-31', 'body as "9999-12-31"'],
  [
    'null',
    '{ type: [string, "null"] }',
    (value) => value === null || typeof value === 'string',
    (value) => value === null,
    'body null',
  ],
  [
    'a rare value of an enum',
    '{ enum: [a, b, c, d, e, f, g, h, i, j] }',
    (value) => typeof value === 'string' && /^[a-j]$/.test(value),
    (value) => value === 'j',
    'body as "j"',
  ],
  [
    'the second branch of a union',
    '{ oneOf: [{ type: object, required: [a], properties: { a: { const: 1 } } }, { type: object, required: [b], properties: { b: { type: string } }, not: { required: [a] } }] }',
    (value) => isMembers(value) && (has(value, 'a') ? value.a === 1 : typeof value.b === 'string'),
    (value) => !has(value, 'a'),
    'branch 2 of its union',
  ],
];

test.each(STUMBLES)('a service that handles %s keeps its contract', async (_, schema, isRight) => {
  const { text, failures } = await check(schema, { takes: (body) => isRight(JSON.parse(body)) });
  expect([text, failures]).toEqual([expect.stringContaining('sendValue'), 0]);
});

test.each(STUMBLES)(
  'a service that stumbles over %s is caught',
  async (_, schema, isRight, stumbles, told) => {
    const takes = (body: string) => isRight(JSON.parse(body)) && !stumbles(JSON.parse(body));
    const { text } = await check(schema, { takes });
    expect(text).toContain(told);
    expect(text).toContain('a valid request was refused with 400');
  },
);

test('a service that stumbles over two optional members together, without a third, is caught by 100 requests', async () => {
  const takes = (body: string): boolean => {
    const value: unknown = JSON.parse(body);
    const stumbles = member(value, 'b') === false && member(value, 'd') === true && !has(value, 'c');
    return isOptions(value) && !stumbles;
  };
  const { text } = await check(OPTIONS, { takes }, {}, 100);
  expect(text).toContain('sendValue: valid request: a valid request was refused with 400');
});

test.each([
  ['U+0000', NAMED, (body: string) => isNamed(JSON.parse(body)) && !body.includes('\\u0000')],
  ['65,536 characters', NAMED, (body: string) => isNamed(JSON.parse(body)) && body.length < 60_000],
  [
    'the name __proto__',
    NAMED,
    (body: string) => isNamed(JSON.parse(body)) && !body.includes('"__proto__":'),
  ],
  ['1.0 for an integer', '{ type: integer }', (body: string) => /^-?(?:0|[1-9]\d{0,15})$/.test(body)],
  [
    'integers that no double holds',
    '{ type: integer }',
    (body: string) => Number.isSafeInteger(JSON.parse(body)),
  ],
  [
    'leap seconds and the year 0',
    '{ type: string, format: date-time }',
    (body: string) => {
      const [, day = '', time = ''] = /^"(\d{4}-\d\d-\d\d)T([^"]+)"$/.exec(body) ?? [];
      return (
        isDay(day) &&
        !day.startsWith('0000') &&
        /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/.test(time)
      );
    },
  ],
])('a service that refuses %s keeps its contract', async (_, schema, takes) => {
  expect((await check(schema, { takes })).failures).toBe(0);
});

import { jest } from '@jest/globals';
import { valueChecks } from '../values-service.ts';

// Each test sends some hundred requests, which take long on a busy machine.
jest.setTimeout(60_000);

const check = valueChecks();

const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isDateTime = (value: unknown): boolean => {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)[Tt ](\S+)$/.exec(String(value)) ?? [];
  const date = new Date(`${day}T00:00:00Z`);
  const isTime =
    /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.test(time);
  return isText(value) && isTime && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};
const CODE = '{ type: string, pattern: "^[A-Z]{2}-[0-9]{3}$" }';
const isCode = (value: unknown): boolean => isText(value) && /^[A-Z]{2}-[0-9]{3}$/.test(value);
const areDifferent = (value: readonly unknown[]): boolean =>
  new Set(value.map((each) => JSON.stringify(each))).size === value.length;

/** A strict check of a schema, a lax one, and the violation that only the lax one accepts. */
const LAX: readonly (readonly [
  what: string,
  schema: string,
  isRight: (value: unknown) => boolean,
  isNearly: (value: unknown) => boolean,
  told: string,
])[] = [
  [
    'matches a pattern without its anchors',
    CODE,
    isCode,
    (value) => isText(value) && /[A-Z]{2}-[0-9]{3}/.test(value),
    'off its pattern by a character before it',
  ],
  [
    'matches a pattern line by line',
    CODE,
    isCode,
    (value) => isText(value) && /^[A-Z]{2}-[0-9]{3}$/m.test(value),
    'off its pattern on a separate line',
  ],
  [
    'matches a pattern in any case',
    CODE,
    isCode,
    (value) => isText(value) && /^[A-Z]{2}-[0-9]{3}$/i.test(value),
    'off its pattern in another case',
  ],
  [
    'reads dates with Date.parse',
    '{ type: string, format: date-time }',
    isDateTime,
    (value) => isDateTime(value) || (isText(value) && !Number.isNaN(Date.parse(value))),
    'body as "2024-01-01T00:00", which is no date-time',
  ],
  [
    'looks at uniqueItems but not at maxItems',
    '{ type: array, items: { type: integer }, maxItems: 3, uniqueItems: true }',
    (value) => isList(value) && value.every(Number.isInteger) && value.length <= 3 && areDifferent(value),
    (value) => isList(value) && value.every(Number.isInteger) && areDifferent(value),
    'body of more than 3: expected 400, got 200',
  ],
  [
    'compares values of an enum in any case',
    '{ enum: [small, large] }',
    (value) => value === 'small' || value === 'large',
    (value) => isText(value) && ['small', 'large'].includes(value.toLowerCase()),
    'body outside its enum, in another case',
  ],
  [
    'knows members in any case',
    '{ type: object, required: [name], properties: { name: { type: string } }, additionalProperties: false }',
    (value) => isMembers(value) && isText(value.name) && Object.keys(value).length === 1,
    (value) =>
      isMembers(value) &&
      isText(value.name) &&
      Object.keys(value).every((name) => name.toLowerCase() === 'name'),
    'body.NAME added',
  ],
  [
    'takes "true" for true',
    '{ type: boolean }',
    (value) => typeof value === 'boolean',
    (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
    'body as a string',
  ],
  [
    'takes a list of one object for the object',
    '{ type: object }',
    isMembers,
    (value) => isMembers(value) || (isList(value) && value.length === 1 && isMembers(value[0])),
    'body in a list',
  ],
];

test.each(LAX)('a strict service keeps its contract where another %s', async (_, schema, isRight) => {
  const { text, failures } = await check(schema, { takes: (body) => isRight(JSON.parse(body)) });
  expect([text, failures]).toEqual([expect.stringContaining('sendValue'), 0]);
});

test.each(LAX)('a service that %s is caught', async (_, schema, _isRight, isNearly, told) => {
  const { text } = await check(schema, { takes: (body) => isNearly(JSON.parse(body)) });
  expect(text).toContain(told);
});

test('a text that is too long is wrong in nothing else', async () => {
  const bodies = new Set<string>();
  const takes = (body: string) => {
    bodies.add(body);
    return /^"[A-Z]{1,4}"$/.test(body);
  };
  await check('{ type: string, pattern: "^[A-Z]+$", maxLength: 4 }', { takes });
  expect([...bodies].filter((body) => /^"[A-Z]{5}"$/.test(body))).not.toEqual([]);
});

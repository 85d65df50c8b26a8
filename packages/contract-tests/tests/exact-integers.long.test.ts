import { valueChecks } from './values-service.ts';

const check = valueChecks();

const isInteger = (body: string): boolean => /^-?\d+$/.test(body);
const isInt64 = (body: string): boolean =>
  isInteger(body) && BigInt(body) === BigInt.asIntN(64, BigInt(body));

/** A schema, an exact check, and the same check with doubles. */
const SCHEMAS: readonly (readonly [
  keyword: string,
  schema: string,
  isExactly: (value: bigint) => boolean,
  isNearly: (value: number) => boolean,
  told: string,
])[] = [
  [
    'minimum',
    'minimum: 9007199254740993',
    (value) => value >= 9007199254740993n,
    (value) => value >= Number('9007199254740993'),
    'body below 9007199254740993: expected 400, got 200',
  ],
  [
    'maximum',
    'maximum: -9007199254740993',
    (value) => value <= -9007199254740993n,
    (value) => value <= Number('-9007199254740993'),
    'body above -9007199254740993: expected 400, got 200',
  ],
  [
    'exclusiveMaximum',
    'exclusiveMaximum: 9007199254740993, minimum: 9007199254740992',
    (value) => value === 9007199254740992n,
    (value) => value === 9007199254740992,
    'body at 9007199254740993, which is excluded: expected 400, got 200',
  ],
  [
    'multipleOf',
    'multipleOf: 9007199254740993',
    (value) => value % 9007199254740993n === 0n,
    (value) => value % Number('9007199254740993') === 0,
    'a valid request was refused with 400',
  ],
  [
    'enum',
    'enum: [9007199254740993, 0x20000000000005]',
    (value) => value === 9007199254740993n || value === 9007199254740997n,
    (value) => [9007199254740992, 9007199254740996].includes(value),
    'body as 9007199254740992, outside its enum: expected 400, got 200',
  ],
  [
    'const',
    'const: -9223372036854775807',
    (value) => value === -9223372036854775807n,
    (value) => value === -(2 ** 63),
    'body as -9223372036854775806, outside its enum: expected 400, got 200',
  ],
];

test.each(SCHEMAS)('a service that is exact about %s keeps its contract', async (_, schema, isExactly) => {
  const takes = (body: string) => isInt64(body) && isExactly(BigInt(body));
  const { text, failures } = await check(`{ type: integer, format: int64, ${schema} }`, { takes });
  expect([text, failures]).toEqual([expect.stringContaining('sendValue'), 0]);
});

test.each(SCHEMAS)(
  'a service that takes %s for a double is caught',
  async (_, schema, _exactly, isNearly, told) => {
    const takes = (body: string) => isInt64(body) && isNearly(Number(body));
    const { text } = await check(`{ type: integer, format: int64, ${schema} }`, { takes });
    expect(text).toContain(told);
  },
);

test('a reply beyond a bound is caught, even if a double could not tell them apart', async () => {
  const schema = '{ type: integer, format: int64, maximum: 9007199254740992 }';
  const takes = (body: string) => isInt64(body) && BigInt(body) <= 9007199254740992n;
  expect((await check(schema, { takes, reply: () => '9007199254740992' })).failures).toBe(0);
  const { text } = await check(schema, { takes, reply: () => '9007199254740993' });
  expect(text).toContain('the body must be <= 9007199254740992');
});

test('an integer without a format stays within what doubles hold, and its bounds are exact', async () => {
  const schema = '{ type: integer, minimum: 0, maximum: 18446744073709551615 }';
  const uint64 = (body: string) => isInteger(body) && BigInt(body) === BigInt.asUintN(64, BigInt(body));
  const isSafe = (body: string) => Number.isSafeInteger(Number(body));
  expect((await check(schema, { takes: (body) => isSafe(body) && uint64(body) })).failures).toBe(0);
  const { text } = await check(schema, { takes: (body) => isInteger(body) && Number(body) >= 0 });
  expect(text).toContain('body above 18446744073709551615: expected 400, got 200');
});

test('a multiple of 0.01 is valid although doubles are inexact', async () => {
  const isPrice = (body: string) => /^(?:0|[1-9]\d*)(?:\.\d\d?)?$/.test(body) && Number(body) <= 100;
  const schema = '{ type: number, minimum: 0, maximum: 100, multipleOf: 0.01 }';
  expect(await check(schema, { takes: isPrice, reply: () => '19.99' })).toMatchObject({ failures: 0 });
  const { text } = await check(schema, { takes: isPrice, reply: () => '19.995' });
  expect(text).toContain('the body must be multiple of 0.01');
});

test('an example that no double holds is sent exactly', async () => {
  const schema =
    '{ type: integer, format: int64, minimum: 9007199254740993, maximum: 9007199254740993, example: 9007199254740993 }';
  const bodies = new Set<string>();
  const takes = (body: string) => {
    if (isInt64(body)) bodies.add(body);
    return isInt64(body) && BigInt(body) === 9007199254740993n;
  };
  expect((await check(schema, { takes })).failures).toBe(0);
  expect(bodies).toContain('9007199254740993');
});

test('the largest possible count is no bound', async () => {
  const takes = (body: string) => typeof JSON.parse(body) === 'string';
  expect(await check('{ type: string, maxLength: 9223372036854775807 }', { takes })).toMatchObject({
    failures: 0,
  });
});

test('a service that fails on integers beyond int64 is caught where no format forbids them', async () => {
  const fails = (body: string) => isInteger(body) && !isInt64(body);
  const { text } = await check('{ type: integer }', { takes: isInteger, fails });
  expect(text).toContain('sendValue: body as 9223372036854775808: status 500: the service failed');
});

test.each([
  ['refuses', isInt64],
  ['takes', isInteger],
])(
  'a service that %s integers beyond int64 keeps its contract where no format forbids them',
  async (_, takes) => {
    expect(await check('{ type: integer }', { takes })).toMatchObject({ failures: 0 });
  },
);

import { int64 } from '../support/documents.ts';
import { decoderFor } from '../support/operation.ts';

/** Placeholder for an integer that no double can hold, in a document that is written as JSON. */
const exactly = (digits: string) => `$${digits}`;

test.each<[keyword: string, bound: string, right: string, wrong: string, message: string]>([
  ['minimum', '9007199254740993', '9007199254740993', '9007199254740992', '>= 9007199254740993'],
  ['maximum', '9007199254740992', '9007199254740992', '9007199254740993', '<= 9007199254740992'],
  ['exclusiveMinimum', '9007199254740992', '9007199254740993', '9007199254740992', '> 9007199254740992'],
  ['exclusiveMaximum', '-9007199254740992', '-9007199254740993', '-9007199254740992', '< -9007199254740992'],
  [
    'multipleOf',
    '9007199254740993',
    '18014398509481986',
    '18014398509481984',
    'a multiple of 9007199254740993',
  ],
  ['maximum', '9223372036854775806', '9223372036854775806', '9223372036854775807', '<= 9223372036854775806'],
])('%s %s accepts %s and refuses %s', async (keyword, bound, right, wrong, message) => {
  const decode = await decoderFor({ ...int64, [keyword]: exactly(bound) });
  expect(await decode(right)).toEqual(BigInt(right));
  await expect(decode(wrong)).rejects.toThrow(new Error(`body must be ${message}`));
});

test.each<[keyword: string, constant: unknown, right: string, wrong: string, message: string]>([
  [
    'enum',
    [1, exactly('9007199254740993')],
    '9007199254740993',
    '9007199254740992',
    'one of [1,9007199254740993]',
  ],
  ['enum', [1, exactly('9007199254740993')], '1', '9007199254740994', 'one of [1,9007199254740993]'],
  ['const', exactly('-9007199254740993'), '-9007199254740993', '-9007199254740992', '-9007199254740993'],
  [
    'const',
    exactly('9223372036854775807'),
    '9223372036854775807',
    '9223372036854775806',
    '9223372036854775807',
  ],
])('%s %j accepts %s and refuses %s', async (keyword, constant, right, wrong, message) => {
  const decode = await decoderFor({ ...int64, [keyword]: constant });
  expect(await decode(right)).toEqual(BigInt(right));
  await expect(decode(wrong)).rejects.toThrow(new Error(`body must be ${message}`));
});

test('a constant is compared by its digits at any depth, with its members in any order', async () => {
  const decode = await decoderFor({ const: { a: [exactly('9007199254740993')], b: 'x' } });
  expect(await decode('{"b":"x","a":[9007199254740993.0]}')).toBeDefined();
  await expect(decode('{"a":[9007199254740992],"b":"x"}')).rejects.toThrow(
    new Error('body must be {"a":[9007199254740993],"b":"x"}'),
  );
});

test('a bound also applies in a part of the schema without int64', async () => {
  const decode = await decoderFor({
    allOf: [int64, { maximum: exactly('9007199254740992') }, { multipleOf: 2 }],
  });
  expect(await decode('9007199254740992')).toEqual(9007199254740992n);
  await expect(decode('9007199254740993')).rejects.toThrow(
    new Error('body must be <= 9007199254740992; body must be a multiple of 2'),
  );
});

test.each([
  ['3', '9007199254740993', '9007199254740992'],
  ['10', '9223372036854775800', '9223372036854775807'],
  ['1.5', '9007199254740993', '9007199254740992'],
])('a step of %s is counted exactly: %s, and not %s', async (step, right, wrong) => {
  const decode = await decoderFor({ ...int64, multipleOf: Number(step) });
  expect(await decode(right)).toEqual(BigInt(right));
  await expect(decode(wrong)).rejects.toThrow(new Error(`body must be a multiple of ${step}`));
});

test.each(['19.99', '0.07', '1e2', '-4.35', '0', '0.010'])('%s is a price in cents', async (price) => {
  const decode = await decoderFor({ type: 'number', multipleOf: 0.01 });
  expect(await decode(price)).toEqual(Number(price));
});

test.each(['19.995', '1e-3', `0.${'0'.repeat(300)}1`])('%s is not a price in cents', async (price) => {
  const decode = await decoderFor({ type: 'number', multipleOf: 0.01 });
  await expect(decode(price)).rejects.toThrow(new Error('body must be a multiple of 0.01'));
});

test('a number with 90,000 digits, or with a huge exponent, does not block the service', async () => {
  const decode = await decoderFor({
    properties: { a: { type: 'number', multipleOf: 3 }, b: { minimum: exactly('9007199254740993') } },
  });
  const start = performance.now();
  expect(await decode(`{"a":1e-999999999}`)).toBeDefined();
  await expect(decode(`{"b":0.${'0'.repeat(90_000)}1}`)).rejects.toThrow(
    'body.b must be >= 9007199254740993',
  );
  expect(performance.now() - start).toBeLessThan(1000);
});

test.each(['integer', 'number'])('what no double comes near is no %s', async (type) => {
  const decode = await decoderFor({ type });
  await expect(decode('1e400')).rejects.toThrow(
    new Error(`body must be ${type === 'integer' ? 'an' : 'a'} ${type}`),
  );
  await expect(decode('-1e400')).rejects.toThrow(`body must be`);
  expect(await decode('1e300')).toEqual(1e300);
});

const NUMBER = { type: 'number' };

test.each([
  ['[9007199254740992,9007199254740993]', NUMBER],
  ['[{"a":9007199254740992},{"a":9007199254740993}]', { properties: { a: NUMBER } }],
  ['[[1],[1,1],1,"1",null,"null",{},[]]', {}],
  ['[[[1],2],[[1,2]],[{"a":[1],"b":2}],[{"a":[1]},{"b":2}]]', {}],
  ['[0.1,1,10,{"a":1},{"b":1}]', {}],
])('%s are as many different items', async (items, schema) => {
  const decode = await decoderFor({ type: 'array', uniqueItems: true, items: schema });
  expect(await decode(items)).toEqual(JSON.parse(items));
});

test.each([
  ['[1,9007199254740993,9007199254740993]', 1, 2],
  ['[9007199254740993,9.007199254740993e15]', 0, 1],
  ['[{"a":1,"b":[2]},{"b":[2.0],"a":1}]', 0, 1],
  ['[0,"x",-0.0]', 0, 2],
  ['[1e2,100,7]', 0, 1],
])('%s has an item twice', async (items, one, other) => {
  const decode = await decoderFor({ type: 'array', uniqueItems: true });
  await expect(decode(items)).rejects.toThrow(
    new Error(`body must not have duplicate items (items ## ${one} and ${other} are identical)`),
  );
});

test('checking many small items for uniqueness does not block the service', async () => {
  const decode = await decoderFor({ type: 'array', uniqueItems: true });
  const items = JSON.stringify(Array.from({ length: 15_000 }, (_, index) => [index]));
  const start = performance.now();
  expect(await decode(items)).toBeDefined();
  expect(performance.now() - start).toBeLessThan(1000);
});

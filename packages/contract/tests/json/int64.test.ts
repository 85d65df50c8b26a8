import { post, read, type Service, startService } from '../../../server/tests/support/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

/** Creates a thing whose id is written just like this. */
const create = (id: string, name = 'Lamp') => read(post(service, `{"id":${id},"name":"${name}"}`));
const created = (name = 'Lamp') => ({ status: 200, body: { name } });
const taken = (id: string) => ({
  status: 409,
  body: { error: 40901, message: `another thing has id ${id}` },
});
const refused = { status: 400, body: { error: 40002, message: 'body.id must be an int64' } };

test('ids that a double cannot tell apart are different things', async () => {
  expect(await create('9007199254740992', 'Lamp')).toEqual(created('Lamp'));
  expect(await create('9007199254740993', 'Vase')).toEqual(created('Vase'));
  expect(await create('9007199254740992', 'Vase')).toEqual(taken('9007199254740992'));
  expect(await create('9007199254740993', 'Lamp')).toEqual(taken('9007199254740993'));
});

test.each(['9223372036854775807', '-9223372036854775808'])('ids around %s are kept exactly', async (end) => {
  const inward = end.startsWith('-') ? 1n : -1n;
  const ids = [0n, 1n, 2n, 1024n].map((steps) => String(BigInt(end) + inward * steps));
  for (const id of ids) expect(await create(id, `of ${id}`)).toEqual(created(`of ${id}`));
  for (const id of ids) expect(await create(id, 'Vase')).toEqual(taken(id));
  for (const id of ids) expect(await create(id, `of ${id}`)).toEqual(created(`of ${id}`));
});

test.each(['9223372036854775808', '-9223372036854775809', '18446744073709551615', '1e19'])(
  '%s is past the end of int64',
  async (id) => {
    expect(await create(id)).toEqual(refused);
  },
);

test.each([
  ['41.0', '41'],
  ['4.1e1', '41'],
  ['410e-1', '41'],
  ['1e3', '1000'],
  ['1E+3', '1000'],
  ['-1e3', '-1000'],
  ['9223372036854775807.0', '9223372036854775807'],
  ['922337203685477580.7e1', '9223372036854775807'],
  ['-9223372036854775808000e-3', '-9223372036854775808'],
  ['9007199254740993.00000000000000000000', '9007199254740993'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['0e400', '0'],
])('%s is the integer %s', async (writing, plain) => {
  expect(await create(writing, 'Lamp')).toEqual(created('Lamp'));
  expect(await create(plain, 'Vase')).toEqual(taken(plain));
  expect(await create(plain, 'Lamp')).toEqual(created('Lamp'));
});

test.each([
  '41.5',
  '1e400',
  '-1e400',
  '1e-400',
  '41.00000000000000000001',
  '0.99999999999999999999',
  '9223372036854775807.5',
  '1e999999999999',
  '1e-999999999999',
  '0e401',
  '"41"',
  'true',
  'null',
  '[]',
  '{}',
])('%s is no int64', async (id) => {
  expect(await create(id)).toEqual(refused);
});

const LONG = 90_000;

test.each([
  ['90,000 digits', '7'.repeat(LONG)],
  ['90,000 zeros between two ones', `1${'0'.repeat(LONG)}1`],
  ['90,000 decimals', `0.${'0'.repeat(LONG)}1`],
  ['90,000 zeros and an exponent', `1${'0'.repeat(LONG)}e-${LONG + 1}`],
  ['an exponent of 90,000 digits', `1e${'9'.repeat(LONG)}`],
  ['90,000 needless zeros', `1${'0'.repeat(LONG)}e-${LONG - 3}`],
])('a number of %s does not block the service', async (_name, number) => {
  const start = performance.now();
  expect(await create(number)).toEqual(refused);
  expect(await read(post(service, `{"id":1,"name":"Lamp","unknown":${number}}`))).toEqual(created());
  expect(performance.now() - start).toBeLessThan(2000);
});

test.each(['41', '9007199254740993', '9223372036854775807'])(
  'of two ids in one body the last one, %s, counts',
  async (last) => {
    const body = `{"id":1,"name":"Vase","id":9007199254740995,"id":${last},"name":"Lamp"}`;
    expect(await read(post(service, body))).toEqual(created());
    expect(await create(last, 'Vase')).toEqual(taken(last));
    expect(await create('1', 'Vase')).toEqual(created('Vase'));
    expect(await create('9007199254740995', 'Vase')).toEqual(created('Vase'));
  },
);

test.each(['"x"', 'null', '1.5'])('of two ids in one body the last one, %s, is judged', async (last) => {
  for (const first of ['1', '9223372036854775807'])
    expect(await read(post(service, `{"id":${first},"name":"Lamp","id":${last}}`))).toEqual(refused);
});

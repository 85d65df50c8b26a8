import { int64, object, text } from '../support/documents.ts';
import { decoderFor } from '../support/operation.ts';

const decode = await decoderFor(object({ id: int64, name: text }, { required: ['id', 'name'] }));

/** The id that a handler gets for an id that is written just like this. */
const received = async (id: string): Promise<unknown> =>
  Object(await decode(`{"id":${id},"name":"Lamp"}`)).id;
const REFUSED = { status: 400, code: 40002, message: 'body.id must be an int64' };

test.each(['9007199254740992', '9223372036854775807', '-9223372036854775808'])(
  'ids around %s are kept exactly',
  async (end) => {
    const inward = end.startsWith('-') ? 1n : -1n;
    for (const steps of [0n, 1n, 2n, 1024n]) {
      const id = BigInt(end) + inward * steps;
      expect(await received(`${id}`)).toBe(id);
    }
  },
);

test.each(['9223372036854775808', '-9223372036854775809', '18446744073709551615', '1e19'])(
  '%s is past the end of int64',
  async (id) => {
    await expect(received(id)).rejects.toMatchObject(REFUSED);
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
  expect(await received(writing)).toBe(BigInt(plain));
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
  await expect(received(id)).rejects.toMatchObject(REFUSED);
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
  await expect(received(number)).rejects.toMatchObject(REFUSED);
  expect(await decode(`{"id":1,"name":"Lamp","unknown":${number}}`)).toEqual({ id: 1n, name: 'Lamp' });
  expect(performance.now() - start).toBeLessThan(2000);
});

test.each(['41', '9007199254740993', '9223372036854775807'])(
  'of two ids in one body the last one, %s, counts',
  async (last) => {
    const body = `{"id":1,"name":"Vase","id":9007199254740995,"id":${last},"name":"Lamp"}`;
    expect(await decode(body)).toEqual({ id: BigInt(last), name: 'Lamp' });
  },
);

test.each(['"x"', 'null', '1.5'])('of two ids in one body the last one, %s, is judged', async (last) => {
  for (const first of ['1', '9223372036854775807'])
    await expect(decode(`{"id":${first},"name":"Lamp","id":${last}}`)).rejects.toMatchObject(REFUSED);
});

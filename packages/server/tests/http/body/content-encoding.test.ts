import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { post, read, type Service, startService } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const THING = '{"id":1,"name":"Lamp"}';
const SERVED = { status: 200, body: { name: 'Lamp' } };

const send = (body: string | Uint8Array, encoding: string) =>
  read(post(service, body, { 'content-encoding': encoding }));

test.each([
  ['gzip', gzipSync(THING)],
  ['x-gzip', gzipSync(THING)],
  ['GZIP', gzipSync(THING)],
  ['deflate', deflateSync(THING)],
  ['br', brotliCompressSync(THING)],
  ['identity', THING],
])('a body encoded as %s is served', async (encoding, body) => {
  expect(await send(body, encoding)).toEqual(SERVED);
});

test.each([
  ['gzip', 'not compressed', Buffer.from(THING)],
  ['gzip', 'cut short', gzipSync(THING).subarray(0, -9)],
  ['gzip', 'altered', gzipSync(THING).fill(0xff, 12, 16)],
  ['deflate', 'not compressed', Buffer.from(THING)],
  ['gzip', 'followed by more', Buffer.concat([gzipSync(THING), Buffer.from('more')])],
  ['deflate', 'followed by more', Buffer.concat([deflateSync(THING), Buffer.from('more')])],
  ['br', 'followed by more', Buffer.concat([brotliCompressSync(THING), Buffer.from('more')])],
  ['br', 'cut short', brotliCompressSync(THING).subarray(0, -3)],
])('a body said to be %s but %s answers 400', async (encoding, _how, body) => {
  expect(await send(body, encoding)).toEqual({
    status: 400,
    body: { error: 40001, message: `body is not valid ${encoding}` },
  });
});

test.each([
  ['gzip', gzipSync(THING)],
  ['deflate', deflateSync(THING)],
  ['br', brotliCompressSync(THING)],
])(
  'a body encoded as %s of which one byte is altered, wherever that is, is no failure',
  async (encoding, body) => {
    const altered = [...body].map((byte, place) =>
      send(body.with(place, byte ^ (1 << (place % 8))), encoding),
    );
    for (const { status } of await Promise.all(altered)) expect([200, 400, 409, 413]).toContain(status);
  },
);

test.each(['zstd', 'gzip, br', 'nonsense'])('a body encoded as %s answers 415', async (encoding) => {
  expect(await send(THING, encoding)).toEqual({
    status: 415,
    body: { error: 41501, message: `Content-Encoding ${encoding} is not supported; use gzip, deflate or br` },
  });
});

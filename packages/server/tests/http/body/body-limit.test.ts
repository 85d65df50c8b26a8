import { once } from 'node:events';
import { createGzip, gzipSync } from 'node:zlib';
import {
  exchange,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { post, read, type Service, startService } from '../../support/service.ts';

const LIMIT = 102_400;

let service: Service;
beforeAll(async () => {
  service = await startService({ maxBodyBytes: LIMIT });
});
afterAll(() => service.close());

const thingOf = (bytes: number): string => {
  const frame = '{"id":1,"name":""}';
  return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
};

const WAYS = {
  'with a Content-Length': (body: string, ...fields: string[]) => postRequest(body, ...fields),
  'in chunks': (body: string, ...fields: string[]) => {
    const half = body.length >> 1;
    const chunks = [body.slice(0, half), body.slice(half), ''];
    const encoded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    return postHead('Transfer-Encoding: chunked', ...fields) + encoded.join('');
  },
};

const TOO_LARGE = { error: 41301, message: `the body is larger than ${LIMIT} bytes` };

describe.each(Object.entries(WAYS))('sent %s', (_way, request) => {
  test('a body of exactly the limit is served', async () => {
    const answer = await exchange(service.port, request(thingOf(LIMIT), 'Connection: close'));
    expect(parseReplies(answer)).toMatchObject([{ status: 200 }]);
  });

  test('a body of one byte more answers 413 in the Error shape', async () => {
    const answer = await exchange(service.port, request(thingOf(LIMIT + 1), 'Connection: close'));
    expect(parseReplies(answer)).toEqual([{ status: 413, type: 'application/json', body: TOO_LARGE }]);
  });

  test('the connection closes after a body that is far too large, and the answer announces it', async () => {
    const good = postRequest('{"id":2,"name":"Next"}', 'Connection: close');
    const answer = await exchange(service.port, request(thingOf(20 * LIMIT)) + good);
    expect(parseReplies(answer)).toMatchObject([{ status: 413, body: TOO_LARGE }]);
    expect(answer).toMatch(/^Connection: close\r$/m);
  });
});

test('a body announced as too large is refused before it is sent', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postHead(`Content-Length: ${LIMIT + 1}`));
  await once(socket, 'data');
  socket.destroy();
  expect(parseReplies(await answer)).toMatchObject([{ status: 413, body: TOO_LARGE }]);
});

test('a compressed body is held to the limit once inflated', async () => {
  const send = (bytes: number) =>
    read(post(service, gzipSync(thingOf(bytes)), { 'content-encoding': 'gzip' }));
  expect((await send(LIMIT)).status).toBe(200);
  expect(await send(LIMIT + 1)).toEqual({ status: 413, body: TOO_LARGE });
});

test('bodies that inflate to 100 MiB each are refused without taking that memory', async () => {
  const gzip = createGzip({ level: 9 });
  const compressed: Promise<Buffer[]> = gzip.toArray();
  const zeros = Buffer.alloc(1_048_576);
  for (let written = 0; written < 100; written++) if (!gzip.write(zeros)) await once(gzip, 'drain');
  gzip.end();
  const bomb = Buffer.concat(await compressed);
  expect(bomb.length).toBeLessThanOrEqual(LIMIT); // or it would be refused for its size on the wire

  const peakMiB = () => process.resourceUsage().maxRSS / 1024;
  const before = peakMiB();
  const bombs = Array.from({ length: 10 }, () => read(post(service, bomb, { 'content-encoding': 'gzip' })));
  for (const reply of await Promise.all(bombs)) expect(reply).toEqual({ status: 413, body: TOO_LARGE });
  expect(peakMiB() - before).toBeLessThan(50);
});

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import {
  head,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';
import { countPerTurn } from './turns.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const MEBIBYTE = 2 ** 20;
/** Upper limit of the bytes that are dropped, with a margin for bytes read before the answer. */
const MOST = 5 * MEBIBYTE;

const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;

/** Opens a connection. Returns both of its sides, and a promise of all bytes that the client receives. */
const openBothSides = async () => {
  const connected = once(service.server, 'connection');
  const client = await openSocket(service.port, { allowHalfOpen: true });
  const [accepted]: Socket[] = await connected;
  if (!accepted) throw new Error('no connection');
  let answer = '';
  client.on('data', (bytes) => {
    answer += bytes;
  });
  client.on('error', () => {}); // a reset after the answer is no failure
  const closed = new Promise<string>((resolve) => accepted.once('close', () => resolve(answer)));
  return { client, accepted, closed };
};

test.each([
  ['a body without a token', 401, head('POST /things', CHUNKED), chunk(65_536)],
  ['a body without a token, byte by byte', 401, head('POST /things', CHUNKED), chunk(1).repeat(10_000)],
  ['a body that goes nowhere', 404, head('POST /x', 'Content-Length: 90000000000'), 'a'.repeat(65_536)],
  ['a body that outgrows its limit', 413, postHead(CHUNKED), chunk(65_536)],
  [
    'a body that was announced as too large',
    413,
    postHead('Content-Length: 90000000000'),
    'a'.repeat(65_536),
  ],
  [
    'a body of another type',
    415,
    head(
      'POST /things',
      'Authorization: Bearer a-token-for-tests',
      'Content-Type: text/plain',
      'Content-Length: 90000000000',
    ),
    'a'.repeat(65_536),
  ],
  ['an unexpected body', 200, head('GET /healthz', CHUNKED), chunk(65_536)],
  ['garbage', 400, 'garbage\r\n\r\n', 'a'.repeat(65_536)],
  ['CONNECT', 400, 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n', 'a'.repeat(65_536)],
  ['requests', 200, '', head('GET /healthz').repeat(1000)],
])(
  'a client that sends %s without end is answered, and soon read no more',
  async (_name, status, start, more) => {
    const { client, accepted, closed } = await openBothSides();
    client.write(start);
    while (!accepted.closed && accepted.bytesRead < 4 * MOST) {
      if (client.writable && client.writableLength < MEBIBYTE) client.write(more);
      await setImmediate(); // the service, in this same process, has its turn
    }
    expect(accepted.bytesRead).toBeLessThan(MOST);
    expect(parseReplies(await closed)[0]).toMatchObject({ status });
    client.destroy();
  },
);

test.each([
  ['long', 65_537, 'close'],
  ['short enough to be awaited', 65_536, 'keep-alive'],
])('the answer to a refused body that is %s sets Connection', async (_name, length, connection) => {
  const { client, closed } = await openBothSides();
  client.write(head('POST /things', `Content-Length: ${length}`));
  const [answer] = await once(client, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
  expect(String(answer)).toContain(`\r\nConnection: ${connection}\r\n`);
  client.destroy();
  await closed;
});

test('a client that does not continue its refused body is disconnected', async () => {
  const { client, closed } = await openBothSides();
  client.write(head('POST /things', 'Content-Length: 100000'));
  expect(parseReplies(await closed)).toMatchObject([{ status: 401 }]);
  client.destroy();
});

test('a client that never closes its side is let go', async () => {
  const { client, closed } = await openBothSides();
  client.write('garbage\r\n\r\n');
  await closed;
  expect(client.writable).toBe(true);
  client.destroy();
});

test('a connection serves the next request after the rest of a short refused body', async () => {
  const client = await openSocket(service.port);
  const answer = readToEnd(client);
  client.write(head('POST /things', 'Content-Length: 60000'));
  await once(client, 'data');
  client.write(`${'a'.repeat(60_000)}${head('GET /healthz', 'Connection: close')}`);
  expect(parseReplies(await answer).map(({ status }) => status)).toEqual([401, 200]);
});

test('so does one whose short body the middleware of the owner has begun to read', async () => {
  const owned = await startService({
    use: [
      (request, response) => {
        request.on('data', () => {}).pause();
        response.status(403).end();
      },
    ],
  });
  const client = await openSocket(owned.port);
  const answer = readToEnd(client);
  client.write(head('POST /things', 'Content-Length: 60000'));
  await once(client, 'data');
  client.write(`${'a'.repeat(60_000)}${head('GET /healthz', 'Connection: close')}`);
  expect(parseReplies(await answer).map(({ status }) => status)).toEqual([403, 403]);
  await owned.close();
});

/** Big enough that one read of the socket brings fewer than are allowed to wait. */
const LARGE = head('GET /healthz', `X: ${'a'.repeat(4200)}`);

test('a client that sends a thousand requests ahead and reads has them all answered, in many turns', async () => {
  const { perTurn, stop } = countPerTurn(service.server);
  const client = await openSocket(service.port);
  const answer = readToEnd(client);
  client.write(LARGE.repeat(999) + head('GET /healthz', 'Connection: close'));
  const replies = parseReplies(await answer);
  stop();
  expect(replies).toHaveLength(1000);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1000);
  expect(Math.max(...perTurn)).toBeLessThan(40); // without a limit for each turn it would be hundreds
});

test('creates that are sent ahead are all served, however many turns they take', async () => {
  const client = await openSocket(service.port);
  const answer = readToEnd(client);
  const name = 'a'.repeat(5000);
  const creates = Array.from({ length: 300 }, (_, id) =>
    postRequest(JSON.stringify({ id, name }), ...(id === 299 ? ['Connection: close'] : [])),
  );
  client.write(creates.join(''));
  const replies = parseReplies(await answer);
  expect(replies.map(({ status }) => status)).toEqual(Array(300).fill(200));
});

import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  type RawReply,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { serveDocument } from '../../support/serve.ts';
import { type Service, startService } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  // Whatever was sent, the next client is served.
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(service.logged).toEqual([]);
});
afterAll(() => service.close());

const refusal = (error: number) => [
  {
    status: Math.floor(error / 100),
    type: 'application/json',
    body: { error, message: expect.any(String) },
  },
];

const CHUNKED = 'Transfer-Encoding: chunked';

const asking = (host: string) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

test.each([
  ['a request line of garbage', 'garbage\r\n\r\n'],
  ['a request line of zeros', Buffer.alloc(64)],
  ['a megabyte of garbage and then silence', 'A'.repeat(1_048_576)],
  ['a method that HTTP does not have', head('THING /things')],
  ['an unknown version of HTTP', 'GET /healthz HTTP/9.9\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS ClientHello', Buffer.from('16030100f4010000f00303', 'hex')],
  ['a header field without a colon', head('GET /healthz', 'nonsense')],
  ['a header field with a control character', head('GET /healthz', 'X: \u0001')],
  ['a Content-Length that is no number', `${postHead('Content-Length: ten')}{}`],
  ['a negative Content-Length', `${postHead('Content-Length: -1')}{}`],
  ['two different Content-Lengths', `${postHead('Content-Length: 2', 'Content-Length: 3')}{}`],
  ['both Content-Length and Transfer-Encoding', `${postHead('Content-Length: 5', CHUNKED)}0\r\n\r\n`],
  ['a Transfer-Encoding that does not end in chunked', `${postHead('Transfer-Encoding: gzip')}{}`],
  ['a chunk whose size is no number', `${postHead(CHUNKED)}zz\r\n`],
  ['a chunk longer than its size', `${postHead(CHUNKED)}2\r\n{"id":1}\r\n0\r\n\r\n`],
  ['CONNECT', 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n'],
  ['HTTP/1.1 without a Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['a request with two Hosts', head('GET /healthz', 'Host: other')],
  ...['a b', 'a/b', 'user@host', 'host?', 'host:http', '[::1', 'a:1:2'].map((host): [string, string] => [
    `a Host of ${host}`,
    asking(host),
  ]),
])('%s answers 400 in the Error shape', async (_name, bytes) => {
  expect(parseReplies(await exchange(service.port, bytes))).toEqual(refusal(40003));
});

test.each([
  ['a header of 64 KiB', 43101, head('GET /healthz', `X: ${'a'.repeat(65_536)}`)],
  ['a target of a megabyte and then silence', 43101, `GET /${'a'.repeat(1_048_576)}`],
  ['chunk extensions without end', 41301, `${postHead(CHUNKED)}2;${'a'.repeat(65_536)}`],
])('%s answers %i in the Error shape', async (_name, error, bytes) => {
  expect(parseReplies(await exchange(service.port, bytes))).toEqual(refusal(error));
});

const BODY = '{"id":1,"name":"Lamp"}';
const length = `${BODY.length}`;

/** Two servers could read such a request in two ways (RFC 9112, section 6). */
test.each([
  `Content-Length: ${length}\r\n${CHUNKED}`,
  `${CHUNKED}\r\nContent-Length: ${length}`,
  `Content-Length : ${length}`,
  `Content-Length: ${length}\r\nContent-Length: 1${length}`,
  `Content-Length: ${length}\r\nContent-Length: ${length}`,
  ...['', `${length}, ${length}`, `+${length}`, `0x${length}`, `${length}.0`, '9'.repeat(23)].map(
    (text) => `Content-Length: ${text}`,
  ),
  ...['chunked, gzip', 'identity', 'xchunked'].map((coding) => `Transfer-Encoding: ${coding}`),
])('%j answers 400 in the Error shape, and nothing after it', async (fields) => {
  const whole =
    fields.startsWith('Content') && !fields.includes('chunked') ? BODY : `16\r\n${BODY}\r\n0\r\n\r\n`;
  const answer = await exchange(service.port, postHead(fields) + whole);
  expect(parseReplies(answer)).toEqual(refusal(40003));
});

/** The replies to a client that sends these bytes and then closes its side, without 100 Continue. */
const repliesTo = async (bytes: Uint8Array): Promise<RawReply[]> => {
  const socket = await openSocket(service.port, { allowHalfOpen: true });
  const answer = readToEnd(socket);
  socket.end(bytes);
  return parseReplies((await answer).replaceAll(/HTTP\/1\.1 100 Continue\r\n\r\n/g, ''));
};

const expectNoFailure = (replies: readonly RawReply[]): void => {
  expect(replies.length).toBeGreaterThan(0);
  for (const { status } of replies) expect([200, 400, 401, 404, 405, 409, 413, 415, 417]).toContain(status);
};

/** Refused, or read in the one way that is left. */
test.each([
  ...['0', '5', `00${length}`, `1${length}`, '9007199254740993'].map((text) => `Content-Length: ${text}`),
  ...['', 'chunked, chunked', 'gzip, chunked', '\tCHUNKED', '"chunked"', 'chunked;q=1'].map(
    (coding) => `Transfer-Encoding: ${coding}`,
  ),
  ...[` Content-Length: ${length}`, `X: y\r\nContent-Length\t: ${length}`, `${CHUNKED}\r\n${CHUNKED}`],
  ...['no colon', ': no name', 'A : b', ' folded: first', 'A: b\r\n folded', 'A: b\rC: d', 'A: b\nC: d'],
  ...[
    'A: \0',
    'A\0: b',
    'A(b): c',
    'A: \u00ff\u00fe',
    'Host: another',
    'Content-Encoding: gzip',
    'Trailer: A',
  ],
  ...['Authorization: Basic a', 'Connection: Content-Length', 'Expect: tea', 'Expect: 100-continue'],
  ...['Connection: upgrade\r\nUpgrade: websocket', 'TE: trailers, chunked;q=nan', '__proto__: a'],
])('%j gets well-formed replies, none of them a failure', async (fields) => {
  const answers = [postRequest(BODY, fields), `${postHead(fields)}${BODY}`].map((bytes) =>
    repliesTo(Buffer.from(bytes, 'latin1')),
  );
  for (const replies of await Promise.all(answers)) expectNoFailure(replies);
});

const CREATE = Buffer.from(postRequest(BODY));

test('a request that ends before its last byte, wherever that is, answers 400 in the Error shape', async () => {
  const ends = [...CREATE.keys()].slice(1);
  const answers = await Promise.all(ends.map((end) => repliesTo(CREATE.subarray(0, end))));
  expect(answers).toEqual(ends.map(() => refusal(40003)));
});

test('a request with one altered byte, wherever that is, gets well-formed replies, none of them a failure', async () => {
  const altered = [...CREATE].map((byte, place) => repliesTo(CREATE.with(place, byte ^ (1 << (place % 8)))));
  for (const replies of await Promise.all(altered)) expectNoFailure(replies);
});

test('requests with empty lines between them are each answered', async () => {
  const requests = Array.from({ length: 6 }, () => CREATE.toString()).join('\r\n'.repeat(50));
  expect((await repliesTo(Buffer.from(requests))).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test('a request that turns out to be broken in the bytes that brought it never reaches its handler', async () => {
  let removed = 0;
  const things = await serveDocument({
    document: {
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      paths: {
        '/things': { delete: { operationId: 'removeThings', responses: { 204: { description: 'gone' } } } },
      },
    },
    handlers: {
      async removeThings() {
        removed += 1;
        return { status: 204 };
      },
    },
  });
  const statusOf = async (bytes: string) => parseReplies(await exchange(things.port, bytes))[0]?.status;
  const broken = await statusOf(`${head('DELETE /things', CHUNKED)}zz\r\n`);
  const removedByBroken = removed;
  const whole = await statusOf(head('DELETE /things', 'Connection: close'));
  await things.close();
  expect([broken, removedByBroken]).toEqual([400, 0]);
  expect([whole, removed]).toEqual([204, 1]);
});

const fields = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${name(index)}:`);

test.each([
  ['with one name', () => 'a'],
  ['with different names', (index: number) => index.toString(36)],
])('more than 1,000 header fields %s answer 431, and none is dropped unseen', async (_names, name) => {
  const fits = head('GET /healthz', ...fields(998, name), 'Connection: close');
  expect(parseReplies(await exchange(service.port, fits))).toMatchObject([{ status: 200 }]);
  const tooMany = postRequest('{"id":1,"name":"Lamp"}', ...fields(1000, name));
  expect(parseReplies(await exchange(service.port, tooMany))).toEqual(refusal(43101));
});

test('as many header fields as fit take no longer than others to refuse', async () => {
  const most = head('GET /healthz', ...fields(16_000, () => 'a'));
  const started = performance.now();
  for (let times = 0; times < 5; times += 1)
    expect(parseReplies(await exchange(service.port, most))).toEqual(refusal(43101));
  expect(performance.now() - started).toBeLessThan(1250);
});

test.each([
  '',
  'host',
  'host:',
  'HOST.test:80',
  '127.0.0.1:3000',
  '[::1]',
  '[fe80::1]:80',
  'my_host',
  'caf%C3%A9',
])('a Host of %j is one', async (host) => {
  expect(parseReplies(await exchange(service.port, asking(host)))).toMatchObject([{ status: 200 }]);
});

test.each([
  ['any Transfer-Encoding in HTTP/1.0', 'HTTP/1.0', 'chunked'],
  ['a Transfer-Encoding beside chunked', 'HTTP/1.1', 'gzip, chunked'],
])(
  '%s answers 400 and closes: it is uncertain where such a request ends',
  async (_what, version, codings) => {
    const fields = ['Host: test', 'Connection: keep-alive', `Transfer-Encoding: ${codings}`];
    const bytes = [`GET /healthz ${version}`, ...fields, '', '0', '', ''].join('\r\n');
    expect(parseReplies(await exchange(service.port, bytes + head('GET /healthz')))).toEqual(refusal(40003));
  },
);

test('an HTTP/1.0 request needs no Host', async () => {
  const answer = await exchange(service.port, 'GET /healthz HTTP/1.0\r\n\r\n');
  expect(parseReplies(answer)).toMatchObject([{ status: 200 }]);
});

test.each([
  ['header', 'POST /things HTTP/1.1\r\nHost: te'],
  ['body', `${postHead('Content-Length: 20')}{"id":1`],
])(
  'a client that stops sending in the middle of a %s, but listens, is answered 400',
  async (_part, bytes) => {
    const socket = await openSocket(service.port, { allowHalfOpen: true });
    const answer = readToEnd(socket);
    socket.end(bytes);
    expect(parseReplies(await answer)).toEqual(refusal(40003));
  },
);

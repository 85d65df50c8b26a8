import { Readable } from 'node:stream';
import { head } from '../../../../tests/support/raw-http.ts';
import { serveDocument } from '../../../server/tests/support/serve.ts';
import type { Reply } from '../../src/reply/reply.ts';
import { stub } from '../../src/reply/stub.ts';
import { documentFactory } from '../things.ts';

const { answerOf, newDocument } = documentFactory();

/** The lines of the head of a reply, over real HTTP, for a handler that returns this reply. */
const linesOf = async (method: string, reply: Reply): Promise<string[]> => {
  const responses = { [reply.status]: { description: '' } };
  const asked = head(`${method} /things`, 'Connection: close');
  const answer = await answerOf(method.toLowerCase(), { responses }, () => reply, asked);
  return answer.split('\r\n');
};

test('every cookie has a separate line', async () => {
  const cookies = ['a=1; Path=/', 'b=2; Expires=Sun, 15 Nov 2026 20:00:00 GMT'];
  const lines = await linesOf('GET', { status: 204, headers: { 'set-cookie': cookies } });
  expect(lines.filter((line) => /^set-cookie:/i.test(line))).toEqual(
    cookies.map((cookie) => `set-cookie: ${cookie}`),
  );
});

test('a URL in a header is sent as its text, and a date as its header requires', async () => {
  const [date, url] = [new Date(0), new URL('https://things.example/1')];
  const headers = { 'X-Since': date, 'X-Times': [date, date], Location: url, 'last-modified': date };
  const lines = await linesOf('GET', { status: 204, headers });
  expect(lines).toEqual(
    expect.arrayContaining([
      'X-Since: 1970-01-01T00:00:00.000Z',
      'X-Times: 1970-01-01T00:00:00.000Z,1970-01-01T00:00:00.000Z',
      'Location: https://things.example/1',
      'Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT',
    ]),
  );
});

test('the id of the request is sent once, even if a handler or an example sets it', async () => {
  const header = { required: true, schema: { type: 'string' } };
  const responses = { 204: { description: '', headers: { 'X-Request-ID': header } } };
  const document = await newDocument({ paths: { '/things': { get: { operationId: 'things', responses } } } });
  for (const handle of [async () => ({ status: 204, headers: { 'x-request-id': 'another' } }), stub]) {
    const { url, close } = await serveDocument({
      document,
      handlers: { things: handle },
      checkReplies: true,
      answerStubs: true,
    });
    const { status, headers } = await fetch(`${url}/things`, { headers: { 'X-Request-Id': 'mine' } });
    expect([status, headers.get('x-request-id')]).toEqual([204, 'mine']);
    await close();
  }
});

test('a handler that returns no reply is a failure, not a stub', async () => {
  const responses = { 200: { description: '', content: { 'application/json': { schema: {} } } } };
  const document = await newDocument({ paths: { '/things': { get: { operationId: 'things', responses } } } });
  const handlers = { things: async (): Promise<Reply> => JSON.parse('null') }; // as one in JavaScript may
  const { url, logged, close } = await serveDocument({ document, handlers, answerStubs: true });
  expect((await fetch(`${url}/things`)).status).toBe(500);
  expect(logged).toMatchObject([{ reason: 'the handler of things gives no reply' }]);
  await close();
});

test('the handler can replace headers that the service adds to a stream, in any case', async () => {
  const content = { 'text/event-stream': { schema: { type: 'string' } } };
  const answer = await answerOf(
    'get',
    { responses: { 200: { description: '', content } } },
    () => ({ status: 200, headers: { 'cache-control': 'no-cache' }, body: Readable.from(['data: 1\n\n']) }),
    head('GET /things', 'Connection: close'),
  );
  expect(answer.match(/^cache-control: .*$/gim)).toEqual(['Cache-Control: no-cache']);
});

test.each([
  ['HEAD', 200],
  ['GET', 304],
])('a %s that answers %i has no length', async (method, status) => {
  const lines = await linesOf(method, { status });
  expect(lines[0]).toContain(`${status}`);
  expect(lines.filter((line) => /^(?:content-length|transfer-encoding):/i.test(line))).toEqual([]);
});

test.each([
  ['a body', { status: 200, headers: { etag: '"1"' }, body: { name: 'möhre' } }],
  ['no body', { status: 204 }],
  ['a refusal', { status: 404, body: { error: 1, message: 'none' } }],
])('HEAD on a GET that answers %s has the same head and nothing after it', async (_what, reply) => {
  const content = { 'application/json': { schema: {} } };
  const responses = { [reply.status]: { description: '', ...('body' in reply && { content }) } };
  const answerTo = (method: string) =>
    answerOf('get', { responses }, () => reply, head(`${method} /things`, 'Connection: close'));
  const [toGet = '', toHead = ''] = await Promise.all(['GET', 'HEAD'].map(answerTo));
  const headOf = (answer: string) =>
    answer.slice(0, answer.indexOf('\r\n\r\n') + 4).replace(/^(?:date|x-request-id): .*\r\n/gim, '');
  expect(toGet).toContain(`HTTP/1.1 ${reply.status}`);
  expect(headOf(toHead)).toBe(headOf(toGet));
  expect(toHead.endsWith('\r\n\r\n')).toBe(true);
  expect(headOf(toGet).includes('Content-Length: ')).toBe('body' in reply);
});

test('a frozen body is sent unchanged', async () => {
  const int64 = { type: 'integer', format: 'int64' };
  const items = {
    type: 'object',
    properties: { ids: { type: 'array', items: int64 }, bytes: { type: 'string' } },
  };
  const content = { 'application/json': { schema: { type: 'array', items } } };
  const ids = Object.freeze([1n, 9007199254740993n]);
  const body = Object.freeze([Object.freeze({ ids, bytes: 'x' })]);
  const responses = { 200: { description: '', content } };
  const answer = await answerOf(
    'get',
    { responses },
    () => ({ status: 200, body }),
    head('GET /things', 'Connection: close'),
  );
  expect(answer).toContain('[{"ids":[1,9007199254740993],"bytes":"x"}]');
});

const NO_TEXT = 'a body that is not JSON must be a text or bytes (Buffer or Uint8Array)';
const noJson = (type: string) => `a value of type ${type} cannot be written as JSON`;

/** Bodies that cannot be written. Each is created when it is needed: an unused stream or promise must not linger. */
const UNWRITABLE: readonly [what: string, mediaType: string, body: () => unknown, why: string][] = [
  [
    'a stream as a form',
    'application/x-www-form-urlencoded',
    () => Readable.from(['a']),
    'application/x-www-form-urlencoded cannot be streamed',
  ],
  ['an object as text', 'text/plain', () => ({ name: 'a' }), NO_TEXT],
  ['a list as bytes', 'image/png', () => [1, 2], NO_TEXT],
  ['an object of a range', '*/*', () => new (class Thing {})(), NO_TEXT],
  ['a function as text', 'text/plain', () => () => 'a', NO_TEXT],
  ['a stream as JSON', 'application/json', () => Readable.from(['a']), 'application/json cannot be streamed'],
  ['a Map as JSON', 'application/json', () => ({ deep: [new Map()] }), noJson('Map')],
  ['a promise as JSON', 'application/json', () => ({ name: Promise.resolve() }), noJson('Promise')],
  ['a function as JSON', 'application/json', () => () => 1, noJson('function')],
];

test.each([true, false])(
  'a body that cannot be written is a failure, and the log names the reason; replies checked: %s',
  async (checkReplies) => {
    const paths = UNWRITABLE.map(([, mediaType], nth) => [
      `/${nth}`,
      {
        get: {
          operationId: `get${nth}`,
          responses: { 200: { description: '', content: { [mediaType]: {} } } },
        },
      },
    ]);
    const { url, logged, close } = await serveDocument({
      document: await newDocument({ paths: Object.fromEntries(paths) }),
      handlers: Object.fromEntries(
        UNWRITABLE.map(([, , body], nth) => [`get${nth}`, async () => ({ status: 200, body: body() })]),
      ),
      checkReplies,
    });
    for (const [nth, [what, , , why]] of UNWRITABLE.entries()) {
      const reply = await fetch(`${url}/${nth}`);
      expect([what, reply.status, logged.at(-1)]).toMatchObject([
        what,
        500,
        { operation: `get${nth}`, status: 500, reason: `the reply breaks the contract: status 200: ${why}` },
      ]);
    }
    await close();
  },
);

test.each<[what: string, mediaType: string, body: unknown, sent: string]>([
  ['a number', 'text/plain', 7, '7'],
  ['a form', 'application/x-www-form-urlencoded', new URLSearchParams({ a: '1 2' }), 'a=1+2'],
  [
    'an instance of a class',
    'application/json',
    new (class Thing {
      name = 'a';
    })(),
    '{"name":"a"}',
  ],
  ['bytes', 'application/json', Buffer.from('{"a":1}'), '{"a":1}'],
])('%s is a valid body', async (_what, mediaType, body, sent) => {
  const responses = { 200: { description: '', content: { [mediaType]: {} } } };
  const asked = head('GET /things', 'Connection: close');
  const answer = await answerOf('get', { responses }, () => ({ status: 200, body }), asked);
  expect(answer.split('\r\n\r\n')[1]).toBe(sent);
});

import { Readable } from 'node:stream';
import { createContract, stub } from '@trellis/contract';
import { documentOf, int64, json, object, text } from '../support/documents.ts';
import { type Reply, serveOperation } from '../support/operation.ts';
import { serve } from '../support/serve.ts';

/** The reply of one operation, whose handler returns this reply. */
const send = async (method: string, made: Reply, content?: object) => {
  const responses = { [made.status]: { description: '', ...(content && { content }) } };
  const { reply } = await serveOperation({ responses }, { method });
  return reply(made);
};

test('every cookie has a separate line', async () => {
  const cookies = ['a=1; Path=/', 'b=2; Expires=Sun, 15 Nov 2026 20:00:00 GMT'];
  const { headers } = await send('get', { status: 204, headers: { 'set-cookie': cookies } });
  expect(headers.getSetCookie()).toEqual(cookies);
});

test('a URL in a header is sent as its text, and a date as its header requires', async () => {
  const [date, url] = [new Date(0), new URL('https://things.example/1')];
  const made = { 'X-Since': date, 'X-Times': [date, date], Location: url, 'last-modified': date };
  const { headers } = await send('get', { status: 204, headers: made });
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-since': '1970-01-01T00:00:00.000Z',
    'x-times': '1970-01-01T00:00:00.000Z,1970-01-01T00:00:00.000Z',
    location: 'https://things.example/1',
    'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
  });
});

test('the id of the request is sent once, even if a handler or an example sets it', async () => {
  const header = { required: true, schema: { type: 'string' } };
  const responses = { 204: { description: '', headers: { 'X-Request-ID': header } } };
  const document = await documentOf({ paths: { '/things': { get: { operationId: 'things', responses } } } });
  for (const handle of [async () => ({ status: 204, headers: { 'x-request-id': 'another' } }), stub]) {
    const contract = await createContract(
      document,
      { things: handle },
      { checkReplies: true, answerStubs: true },
    );
    const { status, headers } = await contract({ method: 'GET', url: '/things', headers: {}, id: 'mine' });
    const ids = Object.entries(headers).filter(([name]) => /^x-request-id$/i.test(name));
    expect([status, ids]).toEqual([204, [['X-Request-Id', 'mine']]]);
  }
});

test('a handler that returns no reply is a failure, not a stub', async () => {
  const paths = { '/things': { get: { operationId: 'things', responses: { 200: json({}) } } } };
  const handlers = { things: async (): Promise<Reply> => JSON.parse('null') }; // as one in JavaScript may
  const { send: ask, errors } = await serve(await documentOf({ paths }), handlers, { answerStubs: true });
  expect((await ask('/things')).status).toBe(500);
  expect(errors).toMatchObject([{ message: 'the handler of things gives no reply' }]);
});

test('the handler can replace headers that the service adds to a stream, in any case', async () => {
  const made = {
    status: 200,
    headers: { 'cache-control': 'no-cache' },
    body: Readable.from(['data: 1\n\n']),
  };
  const reply = await send('get', made, { 'text/event-stream': { schema: { type: 'string' } } });
  expect(reply.headers.get('cache-control')).toBe('no-cache');
  expect(await reply.text()).toBe('data: 1\n\n');
});

test.each([
  ['head', 200],
  ['get', 304],
])('a %s that answers %i has no length', async (method, status) => {
  const reply = await send(method, { status });
  const { headers } = reply;
  expect(reply.status).toBe(status);
  expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([null, null]);
});

test('a frozen body is sent unchanged', async () => {
  const items = object({ ids: { type: 'array', items: int64 }, bytes: text });
  const ids = Object.freeze([1n, 9007199254740993n]);
  const body = Object.freeze([Object.freeze({ ids, bytes: 'x' })]);
  const reply = await send('get', { status: 200, body }, json({ type: 'array', items }).content);
  expect(await reply.text()).toBe('[{"ids":[1,9007199254740993],"bytes":"x"}]');
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
  'a body that cannot be written is a failure that names the reason; replies checked: %s',
  async (checkReplies) => {
    for (const [what, mediaType, body, why] of UNWRITABLE) {
      const responses = { 200: { description: '', content: { [mediaType]: {} } } };
      const { reply } = await serveOperation({ responses }, { method: 'get', checkReplies });
      const error = await reply({ status: 200, body: body() }).catch((thrown: unknown) => thrown);
      expect([what, error]).toEqual([what, new Error(`the reply breaks the contract: status 200: ${why}`)]);
    }
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
  const reply = await send('get', { status: 200, body }, { [mediaType]: {} });
  expect(await reply.text()).toBe(sent);
});

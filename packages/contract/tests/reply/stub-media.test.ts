import { stub } from '@trellis/contract';
import { documentOf } from '../support/documents.ts';
import { serve } from '../support/serve.ts';

/** Returns the reply of an operation's stub. */
const ask = async (operation: object, method = 'get') => {
  const paths = { '/things': { [method]: { operationId: 'readThings', ...operation } } };
  const { send } = await serve(await documentOf({ paths }), { readThings: stub }, { answerStubs: true });
  const reply = await send('/things', { method: method.toUpperCase() });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
};

const THING = {
  type: 'object',
  properties: { name: { type: 'string' }, sizes: { type: 'array', items: { type: 'integer' } } },
};
const answer = (content: object, more: object = {}) => ({
  responses: { 200: { description: '', content, ...more } },
});
test.each<[mediaType: string, schema: unknown, contentType: string, body: string]>([
  ['text/plain', { type: 'string' }, 'text/plain', 'text'],
  ['text/plain', { type: 'integer', minimum: 7 }, 'text/plain', '7'],
  ['image/png', { type: 'string', format: 'binary' }, 'image/png', 'text'],
  ['image/*', {}, 'image/png', ''],
  ['application/octet-stream', undefined, 'application/octet-stream', 'example'],
  ['*/*', { type: 'string', format: 'binary' }, 'application/octet-stream', 'text'],
  ['application/*', { contentMediaType: 'image/png' }, 'application/octet-stream', ''],
  ['*/*', THING, 'application/json', '{"name":"text","sizes":[0]}'],
  ['text/event-stream', THING, 'text/event-stream', 'data: {"name":"text","sizes":[0]}\n\n'],
  [
    'text/event-stream',
    {
      type: 'array',
      items: { type: 'object', required: ['data'], properties: { data: THING } },
      minItems: 2,
    },
    'text/event-stream',
    'data: {"name":"text","sizes":[]}\n\n'.repeat(2),
  ],
  ['application/json-seq', THING, 'application/json-seq', '\u001e{"name":"text","sizes":[0]}\n'],
  [
    'application/jsonl',
    { type: 'array', items: THING, minItems: 2 },
    'application/jsonl',
    '{"name":"text","sizes":[0]}\n'.repeat(2),
  ],
  [
    'application/x-www-form-urlencoded',
    THING,
    'application/x-www-form-urlencoded',
    '{"name":"text","sizes":[0]}',
  ],
  [
    'application/xml',
    {
      type: 'object',
      properties: { 'a b': { const: '<&>' }, list: { const: [1, 2] } },
      xml: { name: 'thing' },
    },
    'application/xml',
    '<?xml version="1.0" encoding="UTF-8"?>\n<thing><a_b>&lt;&amp;&gt;</a_b><list>1</list><list>2</list></thing>',
  ],
])('a stub of %s matches its Content-Type', async (mediaType, schema, contentType, body) => {
  const sent = await ask(answer({ [mediaType]: { schema } }));
  expect([sent.status, sent.headers.get('content-type'), sent.body]).toEqual([200, contentType, body]);
});

test('a stub sends an ETag as an entity tag', async () => {
  const tags = { ETag: { schema: { type: 'string' } } };
  const { headers } = await ask(answer({ 'application/json': {} }, { headers: tags }), 'post');
  expect(headers.get('etag')).toBe('"text"');
});

test('an example that does not fit gives way to the next, or to a value made from the schema', async () => {
  const schema = {
    type: 'object',
    required: ['day'],
    properties: { day: { type: 'string', format: 'date' } },
  };
  const examples = { wrong: { value: { day: 'todäy' } }, right: { value: { day: '2026-05-01' } } };
  const second = await ask(answer({ 'application/json': { schema, examples } }));
  expect(second).toMatchObject({ status: 200, body: '{"day":"2026-05-01"}' });
  const made = await ask(answer({ 'application/json': { schema, example: { day: 1, 'späte\n': 'x' } } }));
  expect(made).toMatchObject({ status: 200, body: '{"day":"2026-01-31"}' });
});

test('a stub leaves the headers of the connection to the server, and sends the others as valid text', async () => {
  const header = (schema: object, more: object = {}) => ({ required: true, schema, ...more });
  const { status, headers, body } = await ask(
    answer(
      { 'application/json': { schema: { const: 1 } } },
      {
        headers: {
          'Transfer-Encoding': header({ type: 'string', examples: ['chunked'] }),
          'Content-Length': header({ type: 'integer', examples: [999] }),
          'Content-Encoding': header({ type: 'string', examples: ['gzip'] }),
          Connection: header({ const: 'upgrade' }),
          Date: header({ type: 'string' }),
          'Content-Type': header({ const: 'text/html' }),
          Location: header({ type: 'string', format: 'uri' }),
          'X-Two': header({ type: 'string' }, { example: 'one\ntwo' }),
          'X-Sun': header({ type: 'string', const: '☀' }),
          'X-List': header({ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, uniqueItems: true }),
          'X-Day': header({ type: 'string', format: 'date' }, { example: 'today' }),
          'cache-control': header({ const: 'no-cache' }),
          'Set-Cookie': header({ type: 'string' }, { example: 'session=1; Path=/' }),
          'X-Json': { content: { 'application/json': { schema: { const: { a: 1 } } } } },
        },
      },
    ),
  );
  expect([status, body]).toEqual([200, '1']);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-length': '1',
    'content-type': 'application/json',
    location: 'https://example.com/',
    'x-two': 'one?two',
    'x-sun': '?',
    'x-list': 'a,b',
    'x-day': '2026-01-31',
    'cache-control': 'no-cache',
    'set-cookie': 'session=1; Path=/',
    'x-json': '{"a":1}',
  });
  for (const name of ['content-encoding', 'transfer-encoding', 'connection', 'date'])
    expect([name, headers.get(name)]).toEqual([name, null]);
});

const EMPTY = { description: '' };
test.each<[what: string, responses: object | undefined, status: number]>([
  ['no response', undefined, 200],
  ['none but 101', { 101: EMPTY }, 204],
  ['the default before a failure', { 404: EMPTY, default: EMPTY }, 200],
  ['a range of redirections', { '3XX': EMPTY, 404: EMPTY }, 302],
  ['a range of refusals', { '4XX': EMPTY, 500: EMPTY }, 400],
  ['a range of failures', { '5XX': EMPTY }, 501],
  ['an extension beside a status', { 'x-other': {}, 202: EMPTY }, 202],
])('an operation that declares %s has a stub that answers', async (_what, responses, status) => {
  const sent = await ask(responses === undefined ? {} : { responses });
  expect([sent.status, sent.headers.get('x-stub')]).toEqual([status, 'readThings']);
});

test.each([204, 205, 304])(
  'a stub that answers %i sends no body, whatever the contract says',
  async (status) => {
    const content = { 'application/json': { schema: THING } };
    const sent = await ask({ responses: { [status]: { description: '', content } } });
    expect([sent.status, sent.body, sent.headers.get('content-type')]).toEqual([status, '', null]);
  },
);

test('a stub sends no body to HEAD', async () => {
  const sent = await ask(answer({ 'application/json': { schema: THING } }), 'head');
  expect([sent.status, sent.body, sent.headers.get('x-stub')]).toEqual([200, '', 'readThings']);
});

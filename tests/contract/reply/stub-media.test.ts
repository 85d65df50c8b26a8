import { stub } from '../../../src/contract/reply/stub.ts';
import { serveDocument } from '../../support/serve.ts';
import { documentFactory } from '../things.ts';

const { newDocument } = documentFactory();

/** What the stub of an operation sends over real HTTP. */
const ask = async (operation: object, { accept = undefined as string | undefined, method = 'get' } = {}) => {
  const service = await serveDocument({
    document: await newDocument({
      paths: { '/things': { [method]: { operationId: 'readThings', ...operation } } },
    }),
    handlers: { readThings: stub },
    checkReplies: true,
    answerStubs: true,
  });
  const reply = await fetch(`${service.url}/things`, {
    method: method.toUpperCase(),
    redirect: 'manual',
    ...(accept !== undefined && { headers: { accept } }),
  });
  const body = await reply.text();
  await service.close();
  return { status: reply.status, headers: reply.headers, note: reply.headers.get('x-stub-note'), body };
};

const THING = {
  type: 'object',
  properties: { name: { type: 'string' }, sizes: { type: 'array', items: { type: 'integer' } } },
};
const answer = (content: object, more: object = {}) => ({
  responses: { 200: { description: '', content, ...more } },
});
const BOTH = answer({
  'application/xml': { schema: THING, example: '<thing><name>Lamp</name></thing>' },
  'application/json': { schema: THING },
});

test.each<[accept: string | undefined, mediaType: string]>([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/xml', 'application/xml'],
  ['application/json, application/xml', 'application/xml'],
  ['application/xml;q=0.2, application/json;q=0.9', 'application/json'],
  ['application/xml;q=0, */*', 'application/json'],
  ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'application/xml'],
  ['text/csv', 'application/json'],
  ['nonsense;;q=x,', 'application/json'],
])('to a client that accepts %s a stub sends %s', async (accept, mediaType) => {
  const { headers, body } = await ask(BOTH, { accept });
  expect(headers.get('content-type')).toBe(mediaType);
  const isXml = mediaType.endsWith('xml');
  expect(body).toBe(isXml ? '<thing><name>Lamp</name></thing>' : '{"name":"text","sizes":[0]}');
});

test.each<[mediaType: string, schema: unknown, contentType: string, body: string]>([
  ['text/plain', { type: 'string' }, 'text/plain', 'text'],
  ['text/plain', { type: 'integer', minimum: 7 }, 'text/plain', '7'],
  ['image/png', { type: 'string', format: 'binary' }, 'image/png', 'text'],
  ['image/*', {}, 'image/png', ''],
  ['application/octet-stream', undefined, 'application/octet-stream', 'example'],
  ['*/*', THING, 'application/json', '{"name":"text","sizes":[0]}'],
  ['text/event-stream', THING, 'text/event-stream', 'data: {"name":"text","sizes":[0]}\n\n'],
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
    'name=text&sizes=%5B0%5D',
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
])('a stub of %s sends what it says it sends', async (mediaType, schema, contentType, body) => {
  const sent = await ask(answer({ [mediaType]: { schema } }));
  expect([sent.status, sent.headers.get('content-type'), sent.body]).toEqual([200, contentType, body]);
});

test('a stub of a multipart reply names its boundary', async () => {
  const { headers, body } = await ask(answer({ 'multipart/form-data': { schema: THING } }));
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers.get('content-type') ?? '')?.[1];
  expect(body.split(`--${boundary}`)).toHaveLength(4);
});

test('an example that does not fit gives way to the next, and the note says why', async () => {
  const schema = {
    type: 'object',
    required: ['day'],
    properties: { day: { type: 'string', format: 'date' } },
  };
  const examples = { wrong: { value: { day: 'todäy' } }, right: { value: { day: '2026-05-01' } } };
  const second = await ask(answer({ 'application/json': { schema, examples } }));
  expect(second).toMatchObject({ status: 200, body: '{"day":"2026-05-01"}' });
  expect(second.note).toBe('200: the example does not fit: body.day must be a date');
  const made = await ask(answer({ 'application/json': { schema, example: { day: 1, 'späte\n': 'x' } } }));
  expect(made).toMatchObject({ status: 200, body: '{"day":"2026-01-31"}' });
  expect(made.note).toBe('200: the example does not fit: body.day must be a string');
});

test('an example that is JSON in a text is taken for what it means', async () => {
  const { body } = await ask(answer({ 'application/json': { schema: THING, example: '{"name":"Lamp"}' } }));
  expect(body).toBe('{"name":"Lamp"}');
});

test('a note is short, and any header can hold it', async () => {
  const schema = { type: 'object', required: ['member-ü'] };
  const count = { required: true, schema: { type: 'integer' }, example: 'many' };
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`X-Count-${index}`, count]));
  const { status, note } = await ask(answer({ 'application/json': { schema, example: {} } }, { headers }));
  expect(status).toBe(200);
  expect(note).toMatch(
    /^200: the example does not fit: body\["member-\?"\] is required; [\x20-\x7e]{1,300}\.\.\.$/,
  );
});

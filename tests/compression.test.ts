import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { rangedBody } from '../packages/server/src/http.ts';
import { newDocument } from '../packages/server/tests/support/documents.ts';
import { serveDocument } from '../packages/server/tests/support/serve.ts';
import { importSample } from './support/samples.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();

const ID = { type: 'integer', format: 'int64' };
const ETAG = { ETag: { schema: { type: 'string' } } };
const get = (operationId: string, mediaType: string, schema: object, more: object = {}) => ({
  get: {
    operationId,
    responses: { 200: { description: '', headers: ETAG, content: { [mediaType]: { schema } } }, ...more },
  },
});
const PATHS = {
  '/ids': get('listIds', 'application/json', { type: 'array', items: ID }, { 304: { description: '' } }),
  '/id': get('readId', 'application/json', ID),
  '/events': get('watchIds', 'text/event-stream', { type: 'array', items: { type: 'object' } }),
  '/text': get('readText', 'text/plain', { type: 'string', format: 'binary' }, { 206: { description: '' } }),
};

const IDS = Array.from({ length: 1000 }, (_, index) => 2n ** 63n - 1n - BigInt(index));
const JSON_OF_IDS = `[${IDS.join()}]`;
const TEXT = Buffer.alloc(5000, 'a text that would compress well. ');

async function* give(...chunks: readonly Buffer[]) {
  yield* chunks;
}

/** Events of which the second never comes. */
async function* forever(signal: AbortSignal) {
  yield { data: 'first' };
  await once(signal, 'abort');
}

let service: Awaited<ReturnType<typeof serveDocument>>;
beforeAll(async () => {
  const { use } = await importSample(await makeFolder(), 'docs/how-to/use-express.md', 'Compress replies');
  service = await serveDocument({
    document: await newDocument({ paths: PATHS }),
    handlers: {
      listIds: async () => ({ status: 200, headers: { ETag: '7', Vary: 'Origin' }, body: IDS }),
      readId: async () => ({ status: 200, body: IDS[0] }),
      watchIds: async ({ signal }: { signal: AbortSignal }) => ({ status: 200, body: forever(signal) }),
      readText: async () => ({
        status: 200,
        body: rangedBody({
          size: TEXT.length,
          version: '1',
          slice: (start, end) => give(TEXT.subarray(start, end)),
        }),
      }),
    },
    use,
  });
});
afterAll(() => service.close());

/** Asks as a client does that can inflate gzip. */
const open = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const sent = { 'accept-encoding': 'gzip', ...headers };
  const asked = request(service.url + path, { method, headers: sent, agent: false }).end();
  const [reply]: IncomingMessage[] = await once(asked, 'response');
  if (!reply) throw new Error('no reply');
  return reply;
};
const ask = async (...asked: Parameters<typeof open>) => {
  const reply = await open(...asked);
  return { status: reply.statusCode, headers: reply.headers, body: await buffer(reply) };
};

test('a large reply is compressed for clients that accept it, and keeps every digit', async () => {
  const { status, headers, body } = await ask('/ids');
  expect([status, headers['content-encoding'], headers.vary]).toEqual([
    200,
    'gzip',
    'Origin, Accept-Encoding',
  ]);
  expect(headers).not.toHaveProperty('content-length');
  expect(gunzipSync(body).toString()).toBe(JSON_OF_IDS);
  expect(body.length).toBeLessThan(JSON_OF_IDS.length / 2);
  const plain = await ask('/ids', { 'accept-encoding': 'identity' });
  expect(plain.headers).toMatchObject({ vary: 'Origin, Accept-Encoding', etag: headers.etag });
  expect([plain.headers['content-encoding'], `${plain.body}`]).toEqual([undefined, JSON_OF_IDS]);
});

test('a small reply is not compressed', async () => {
  const { headers, body } = await ask('/id');
  expect([headers['content-encoding'], headers['content-length'], `${body}`]).toEqual([
    undefined,
    '19',
    '9223372036854775807',
  ]);
});

test('an event arrives while its stream continues', async () => {
  const reply = await open('/events');
  const [event] = await once(reply, 'data');
  reply.destroy();
  expect([reply.headers['content-encoding'], `${event}`]).toEqual([undefined, 'data: first\n\n']);
});

test('a range, and the whole that ranges are of, are the bytes themselves', async () => {
  const part = await ask('/text', { range: 'bytes=1000-2999' });
  expect([part.status, part.headers['content-encoding'], part.headers['content-range']]).toEqual([
    206,
    undefined,
    'bytes 1000-2999/5000',
  ]);
  expect(part.body.equals(TEXT.subarray(1000, 3000))).toBe(true);
  const whole = await ask('/text');
  expect([whole.headers['content-encoding'], whole.headers['content-length']]).toEqual([undefined, '5000']);
  expect(whole.body.equals(TEXT)).toBe(true);
});

test('the tag is weak, since plain and compressed replies share it; a range and its whole have a strong one', async () => {
  const tagOf = async (...asked: Parameters<typeof open>) => (await ask(...asked)).headers.etag;
  expect(await tagOf('/ids')).toBe('W/"7"');
  expect(await tagOf('/ids', { 'accept-encoding': 'identity' })).toBe('W/"7"');
  expect(await tagOf('/ids', {}, 'HEAD')).toBe('W/"7"');
  const whole = await tagOf('/text');
  expect(whole).toBe('"1"');
  expect(await tagOf('/text', { range: 'bytes=0-9' })).toBe(whole);
});

test.each([
  ['/ids', 'W/"7"', 'W/"7"'],
  ['/ids', '"6", W/"7"', 'W/"7"'],
  ['/ids', '"7"', '"7"'],
  ['/text', '"1"', '"1"'],
])(
  'a 304 of %s for %s has no body, the tag that the client has, and varies as its 200',
  async (path, sent, tag) => {
    const { status, headers, body } = await ask(path, { 'if-none-match': sent });
    expect([status, headers.etag, body.length]).toEqual([304, tag, 0]);
    expect(headers.vary).toMatch(/\bAccept-Encoding$/);
    expect(headers).not.toHaveProperty('content-encoding');
  },
);

test('If-Match takes the weak tag back', async () => {
  const statusFor = async (tag: string) => (await ask('/ids', { 'if-match': tag })).status;
  expect([await statusFor('W/"7"'), await statusFor('"7"'), await statusFor('W/"6"')]).toEqual([
    200, 200, 412,
  ]);
});

test('a HEAD has the fields of its GET, and no body', async () => {
  const { status, headers, body } = await ask('/ids', {}, 'HEAD');
  expect([status, headers.vary, body.length]).toEqual([200, 'Origin, Accept-Encoding', 0]);
  expect(headers['content-encoding']).toBeUndefined();
});

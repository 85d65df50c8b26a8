import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fetchWithProgress, reconnect, UnexpectedReply } from '@trellis/client';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { importClient, serveThings, type TestHandlers } from './things-service.ts';

const makeFolder = temporaryFolders();
const BEYOND = 9007199254740993n;

/** An endless stream of sales. `left` is aborted once its reader has left. */
let left = new AbortController();
async function* endless(signal: AbortSignal) {
  signal.addEventListener('abort', () => left.abort());
  for (let id = BEYOND; !signal.aborted; id += 1n) {
    yield { event: 'sold', data: { id }, id: `${id}` };
    await new Promise(setImmediate);
  }
}

const inItems = async function* (...items: unknown[]) {
  yield* items;
};

/** Sends parts back, and then waits for the client to leave, if it asks for that. */
const partsOf = async function* (parts: unknown[], signal: AbortSignal) {
  for (const [nth, body] of parts.entries()) yield { headers: { 'Content-ID': `<${nth}>` }, body };
  if (parts[1] === 'wait') await once(signal, 'abort');
  if (signal.aborted) left.abort();
};

type Asked = { readonly signal: AbortSignal; readonly body?: unknown };
const handlers = {
  watchSales: async ({ signal }: Asked) => ({ status: 200, body: endless(signal) }),
  watchRaw: async () => ({ status: 200, body: inItems({ data: 'a\nb', event: 'x', id: 1 }, 'data: 1\n\n') }),
  listLines: async () => ({ status: 200, body: inItems({ id: BEYOND, price: 1.5 }, { id: 2n }) }),
  listRecords: async () => ({ status: 200, body: inItems({ id: BEYOND }, { id: 2n }) }),
  download: async () => ({
    status: 200,
    headers: { 'Content-Type': 'application/octet-stream' },
    body: Readable.from([Buffer.alloc(1e5, 1), Buffer.alloc(1e5, 2)]),
  }),
  sendParts: async ({ body, signal }: Asked) => ({
    status: 200,
    body: Array.isArray(body) ? partsOf(body, signal) : body,
  }),
  sendBody: async ({ body }: Asked) => ({ status: 200, body: { size: Object(body).length ?? Object(body) } }),
} satisfies TestHandlers;

let service: Awaited<ReturnType<typeof serveThings>>;
let createClient: Awaited<ReturnType<typeof importClient>>;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  createClient = await importClient(await makeFolder());
  service = await serveThings(handlers);
  client = createClient({ url: service.url, token: 's3cret' });
}, 60_000);
afterAll(() => service.close());

/** A client whose service answers with these pieces, one after the other, as they are. */
const answering = (type: string, ...pieces: (string | Uint8Array)[]) => {
  const chunks = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  const next = (controller: ReadableStreamDefaultController) => {
    const chunk = chunks.shift();
    if (chunk) controller.enqueue(chunk);
    else controller.close();
  };
  const reply = async () =>
    new Response(new ReadableStream({ pull: next }), { headers: { 'content-type': type } });
  return createClient({ url: 'http://things.example', fetch: reply });
};

const all = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
  const list: unknown[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('the items of a reply arrive one by one', () => {
  test('events, with exact int64s; who stops reading cancels the request', async () => {
    left = new AbortController();
    const reply = await client.watchSales();
    expect(reply).toMatchObject({ status: 200, mediaType: 'text/event-stream' });
    const seen: unknown[] = [];
    for await (const event of reply.body) if (seen.push(event) === 2) break;
    expect(seen).toEqual([
      { event: 'sold', data: { id: BEYOND }, id: `${BEYOND}`, retry: undefined },
      { event: 'sold', data: { id: BEYOND + 1n }, id: `${BEYOND + 1n}`, retry: undefined },
    ]);
    if (!left.signal.aborted) await once(left.signal, 'abort');
  });

  test('a signal ends them as well', async () => {
    const controller = new AbortController();
    const { body } = await client.watchSales({ signal: controller.signal });
    await body.next();
    controller.abort(new Error('enough'));
    await expect(all(body)).rejects.toThrow('enough');
  });

  test('events of text, JSON lines, and records', async () => {
    expect(await all((await client.watchRaw()).body)).toEqual([
      { data: 'a\nb', event: 'x', id: '1', retry: undefined },
      { data: '1', event: undefined, id: '1', retry: undefined },
    ]);
    expect(await all((await client.listLines()).body)).toEqual([{ id: BEYOND, price: 1.5 }, { id: 2n }]);
    expect(await all((await client.listRecords()).body)).toEqual([{ id: BEYOND }, { id: 2n }]);
  });

  test('bytes as a stream, if asked for', async () => {
    const { body } = await client.download({ query: { as: 'x' }, stream: true });
    expect(body).toBeInstanceOf(ReadableStream);
    expect((await new Response(body).arrayBuffer()).byteLength).toBe(2e5);
  });
});

describe('parts arrive one by one', () => {
  test('with header fields, media type and body: JSON with exact int64s, text, bytes', async () => {
    const bytes = Uint8Array.from([13, 10, 45, 45, 255, 0, 13, 10]);
    const reply = await client.sendParts({ body: [{ id: BEYOND }, 'ü\r\n--', bytes, new Uint8Array()] });
    expect(reply).toMatchObject({ status: 200, mediaType: 'multipart/mixed' });
    const parts = await all(reply.body);
    expect(parts).toMatchObject([
      { mediaType: 'application/json', body: { id: BEYOND } },
      { mediaType: 'text/plain; charset=utf-8', body: 'ü\r\n--' },
      { mediaType: 'application/octet-stream', body: bytes },
      { mediaType: 'application/octet-stream', body: new Uint8Array() },
    ]);
    expect(parts.map((part) => Object(part).headers.get('content-id'))).toEqual(['<0>', '<1>', '<2>', '<3>']);
  });

  test('as soon as each is whole; who stops reading cancels the request', async () => {
    left = new AbortController();
    const { body } = await client.sendParts({ body: [{ id: 1n }, 'wait'] });
    for await (const part of body) if (part.body === 'wait') break;
    if (!left.signal.aborted) await once(left.signal, 'abort');
    expect(left.signal.aborted).toBe(true);
  });

  const read = async (type: string, text: string) => {
    const one = await all((await answering(type, text).sendParts({ body: [] })).body);
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
    expect(await all((await answering(type, ...bytes).sendParts({ body: [] })).body)).toEqual(one);
    return one;
  };
  const MIXED = 'multipart/mixed; boundary=b';

  test('however they are framed and cut into pieces', async () => {
    const json = { mediaType: 'application/json', body: { id: 1n } };
    expect(await read(MIXED, 'hello\r\n--b \r\n\r\n{"id":1}\r\n--b--\r\nbye')).toMatchObject([json]);
    const folded = 'content-type:\r\n application/json\r\n\r\n{"id":1}';
    expect(await read('multipart/mixed; Boundary="b c"', `--b c\r\n${folded}\r\n--b c--`)).toMatchObject([
      json,
    ]);
    const empty = { mediaType: 'text/plain', body: '' };
    expect(await read(MIXED, '--b\r\n\r\n{"id":1}\r\n--b\r\nX: y\r\n\r\n--b--')).toMatchObject([json, empty]);
    expect(await read(MIXED, '--b--')).toEqual([]);
  });

  test.each([
    ['parts without a boundary', 'multipart/mixed', '--b\r\n\r\n{}\r\n--b--'],
    ['parts that end before their last delimiter', MIXED, '--b\r\n\r\n{"id":1}\r\n--b'],
    ['parts that end before their last delimiter', MIXED, '--b\r\n\r\n{"id":1}\r\n'],
    ['part 1 is not JSON', MIXED, '--b\r\n\r\n{\r\n--b--'],
  ])('%s are thrown', async (message, type, text) => {
    const { body } = await answering(type, text).sendParts({ body: [] });
    await expect(all(body)).rejects.toThrow(message);
  });

  test('a part without end is not kept', async () => {
    const pieces = Array(18).fill('x'.repeat(2 ** 20));
    const { body } = await answering(MIXED, '--b\r\n\r\n', ...pieces).sendParts({ body: [] });
    await expect(all(body)).rejects.toThrow(RangeError);
  });
});

describe('event streams are read as HTML says', () => {
  const textsOf = async (...pieces: (string | Uint8Array)[]) => {
    const events = await all((await answering('text/event-stream', ...pieces).watchRaw()).body);
    return events.map((event) => Object(event).data);
  };

  test.each([
    ['a byte order mark, once', [new Uint8Array([0xef, 0xbb, 0xbf]), 'data: a\n\n'], ['a']],
    ['line feeds', ['data: a\n\ndata: b\n\n'], ['a', 'b']],
    ['carriage returns', ['data: a\r\rdata: b\r\r'], ['a', 'b']],
    ['both', ['data: a\r\n\r\ndata: b\r\n\r\n'], ['a', 'b']],
    ['both, in different pieces', ['data: a\r', '\n', 'data: b\r', '\n\r', '\n'], ['a\nb']],
    [
      'letters in different pieces',
      [new Uint8Array([...Buffer.from('data: '), 0xc3]), new Uint8Array([0xbc, 10, 10])],
      ['ü'],
    ],
    ['several lines of data', ['data: a\ndata\ndata:b\ndata:  c\n\n'], ['a\n\nb\n c']],
    ['comments and unknown fields', [': hello\nodd: 1\ndata: a\n\n:\n\n'], ['a']],
    ['no data, and empty data', ['event: x\n\ndata\n\n'], ['']],
    ['an event that is not finished', ['data: a\n\ndata: b\n'], ['a']],
    ['a colon in the data', ['data: a:b\n\n'], ['a:b']],
  ])('%s', async (_, pieces, texts) => {
    expect(await textsOf(...pieces)).toEqual(texts);
  });

  test('ids last, but not those with NUL; the time to wait is a number; the type does not last', async () => {
    const events = answering(
      'text/event-stream',
      'id: 1\nretry: 5\nevent: x\ndata: a\n\n',
      'id: 2\0\nretry: 5x\ndata: b\n\n',
      'id\nretry: 70\n\ndata: c\n\n',
    );
    expect(await all((await events.watchRaw()).body)).toEqual([
      { data: 'a', event: 'x', id: '1', retry: 5 },
      { data: 'b', event: undefined, id: '1', retry: 5 },
      { data: 'c', event: undefined, id: '', retry: 70 },
    ]);
  });

  test('data is JSON where its schema is no string, and text where it may be both', async () => {
    const chunks = answering('text/event-stream', `data: {"id":${BEYOND}}\n\ndata: [DONE]\n\ndata: {\n\n`);
    expect(await all((await chunks.complete()).body)).toMatchObject([{ data: { id: BEYOND } }]);
    const either = answering('text/event-stream', `data: {"id":${BEYOND}}\n\nevent: said\ndata: hello\n\n`);
    expect(await all((await either.watchSales()).body)).toMatchObject([
      { data: { id: BEYOND } },
      { event: 'said', data: 'hello' },
    ]);
  });

  test.each([
    ['text/event-stream', 'complete', 'data: {\n\n'],
    ['application/jsonl', 'listLines', '{"id":1}\n{\n'],
    ['application/json-seq', 'listRecords', '\u001e{"id":1}\n\u001e{\n'],
  ])('an item in %s that is not JSON is thrown, with its text', async (type, id, text) => {
    const { body } = await answering(type, text)[id]();
    const thrown = await all(body).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UnexpectedReply);
    expect(Object(thrown).text.trim()).toBe('{');
  });

  test('an item without end is not kept', async () => {
    const piece = 'x'.repeat(2 ** 20);
    for (const pieces of [Array(18).fill(piece), Array(18).fill(`data: ${piece}\n`)]) {
      const { body } = await answering('text/event-stream', 'data: ', ...pieces).watchRaw();
      await expect(all(body)).rejects.toThrow(RangeError);
    }
  });

  test('empty lines are no JSON lines, and the last one needs no end', async () => {
    const { body } = await answering('application/jsonl', '\n{"id":1}\r\n\r\n{"id"', ':2}').listLines();
    expect(await all(body)).toEqual([{ id: 1n }, { id: 2n }]);
  });
});

describe('a broken stream resumes after the last event', () => {
  const connect = (...replies: (() => Promise<Response>)[]) => {
    const asked: (string | null)[] = [];
    const next: typeof fetch = (_url, init) => {
      asked.push(new Headers(init?.headers).get('last-event-id'));
      return replies.shift()?.() ?? Promise.reject(new TypeError('no more'));
    };
    const { watchRaw, watchSales } = createClient({ url: 'http://things.example', fetch: next });
    return { asked, watchRaw, watchSales };
  };
  const events = (text: string) => async () =>
    new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  const away = () => Promise.reject(new TypeError('away'));

  test('with its id, after the time that the service says, until there is no more', async () => {
    const gone = async () => new Response(null, { status: 204 });
    const { asked, watchSales } = connect(
      events('retry: 1\nid: ü\ndata: 1\n\n'),
      away,
      events('data: 2\n\n'),
      gone,
    );
    const stream = reconnect(async (again) => {
      const reply = await watchSales(again);
      return reply.status === 200 ? reply.body : undefined;
    });
    expect((await all(stream)).map((event) => Object(event).data)).toEqual([1, 2]);
    expect(asked).toEqual([null, 'Ã¼', 'Ã¼', 'Ã¼']);
  });

  test('not for ever, and not after an abort', async () => {
    const options = { limit: 2, delay: 1 };
    const broken = connect();
    const open = async (again: object) => (await broken.watchRaw(again)).body;
    await expect(all(reconnect(open, options))).rejects.toThrow('no more');
    expect(broken.asked).toHaveLength(3);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(all(reconnect(open, { ...options, signal }))).rejects.toThrow('no more');
    expect(broken.asked).toHaveLength(4);
  });
});

describe('uploads', () => {
  const pieces = [Buffer.alloc(40_000, 1), Buffer.alloc(2_000, 2)];
  const mediaType = 'application/octet-stream';
  test.each([
    ['a Readable', () => Readable.from(pieces)],
    ['a generator', () => inItems(...pieces)],
    ['a ReadableStream', () => Readable.toWeb(Readable.from(pieces))],
    ['a File', () => new File(pieces, 'x.bin')],
  ])('%s is sent as it comes', async (_, source) => {
    expect((await client.sendBody({ body: source(), mediaType })).body).toEqual({ size: 42_000 });
  });

  test.each([
    ['bytes', { body: Buffer.concat(pieces), mediaType }, 42_000],
    ['a stream', { body: Readable.from(pieces), mediaType }, undefined],
    ['a text', { body: 'ü'.repeat(10), mediaType: 'text/plain' }, 20],
    ['a form', { body: { file: pieces[1] }, mediaType: 'multipart/form-data' }, undefined],
  ])('reports the progress of sending %s', async (_, request, total) => {
    const told: [number, number | undefined][] = [];
    const send = fetchWithProgress((...progress) => told.push(progress));
    expect(await client.sendBody({ ...request, fetch: send })).toMatchObject({ status: 200 });
    const [sent = 0, size] = told.at(-1) ?? [];
    expect(sent).toBeGreaterThanOrEqual(total ?? 2_000);
    expect(size).toBe(total);
  });

  test('a source that fails, fails the request', async () => {
    const body = (async function* () {
      yield 'a';
      throw new Error('disk gone');
    })();
    await expect(client.sendBody({ body, mediaType })).rejects.toMatchObject({
      cause: { message: 'disk gone' },
    });
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Upload, UploadedField, UploadedFile } from '@trellis/contract';
import { head, openSocket, parseReplies, parseReply, readToEnd } from '../../../../tests/support/raw-http.ts';
import type { Reply } from '../../../contract/src/reply/reply.ts';
import { inParts, type Part } from '../support/parts.ts';
import { operationServers, type ServeOptions } from '../support/serve.ts';

const BINARY = { type: 'string', format: 'binary' };
const FORM = {
  type: 'object',
  required: ['purpose', 'file'],
  properties: {
    purpose: { type: 'string', enum: ['tests', 'use'] },
    size: { type: 'integer', format: 'int64' },
    tags: { type: 'array', items: { type: 'integer', format: 'int64' } },
    about: { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } },
    mode: { type: 'string', default: 'plain' },
    notes: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
    caption: { type: 'array', items: { type: 'string' } },
    file: { ...BINARY, minLength: 2, maxLength: 1_000_000 },
    pictures: { type: 'array', items: BINARY, maxItems: 2 },
    hidden: { ...BINARY, readOnly: true },
  },
};
const CONTENT = {
  'application/octet-stream': { schema: BINARY },
  'text/csv': { schema: { type: 'string' } },
  'application/json': { schema: { type: 'object' } },
  'multipart/form-data': { schema: FORM, encoding: { pictures: { contentType: 'image/png, image/jpeg' } } },
};

interface Request {
  readonly body: Upload & AsyncIterable<UploadedField | UploadedFile>;
  readonly signal: AbortSignal;
}
type Handle = (request: Request) => Promise<Reply>;

const serveOperation = operationServers();

interface Options extends Omit<Partial<ServeOptions>, 'document' | 'handlers'> {
  readonly streams?: boolean;
  readonly maxBodyBytes?: number;
  readonly limit?: number;
  readonly operation?: object;
}

const serve = async (handle: Handle, { streams = true, limit, operation, ...options }: Options = {}) => {
  const service = await serveOperation(
    {
      path: '/files',
      method: 'post',
      operationId: 'upload',
      requestBody: { required: true, content: CONTENT },
      responses: { 200: { description: '', content: { 'application/json': {}, 'text/plain': {} } } },
      ...operation,
    },
    { streams, handle, ...(limit !== undefined && { maxBodyBytes: limit }) },
    options,
  );
  const post = (body: string | Uint8Array | Readable, type = 'application/octet-stream', headers = {}) =>
    fetch(service.url, {
      method: 'POST',
      body: body instanceof Readable ? Readable.toWeb(body) : body,
      headers: { 'content-type': type, ...headers },
      ...(body instanceof Readable && { duplex: 'half' }),
    });
  return { ...service, post };
};

const fine = (body: unknown): Reply => ({ status: 200, body });
const count: Handle = async ({ body }) => {
  let size = 0;
  for await (const chunk of body.stream) size += chunk.length;
  return fine({ size });
};
const statusOf = async (reply: Response) => [reply.status, await reply.json()];

/** Lists the parts of a form as a handler gets them, files with their texts. */
const list: Handle = async ({ body }) => {
  const parts: unknown[] = [];
  for await (const part of body)
    parts.push(
      'stream' in part
        ? [part.name, part.filename, part.mediaType, await text(part.stream)]
        : [part.name, typeof part.value === 'bigint' ? `${part.value}n` : part.value],
    );
  return fine(parts);
};
const file = (name: string, is: string | Buffer, type = 'image/png'): Part => ({
  name,
  is,
  filename: `${name}.png`,
  type,
});
const PURPOSE = { name: 'purpose', is: 'tests' };

const MEBIBYTE = Buffer.alloc(2 ** 20, '#');
const mebibytes = (count: number) => Readable.from(Array.from({ length: count }, () => MEBIBYTE));

describe('bytes', () => {
  test('are read while they arrive, with their media type and their size', async () => {
    const { post } = await serve(async ({ body: { stream, mediaType, size } }) =>
      fine([await text(stream), mediaType, size]),
    );
    expect(await (await post('abc')).json()).toEqual(['abc', 'application/octet-stream', 3]);
    expect(await (await post('a,b', 'text/csv; charset=utf-8')).json()).toEqual([
      'a,b',
      'text/csv; charset=utf-8',
      3,
    ]);
    expect(await (await post(Readable.from(['a', 'b']))).json()).toEqual([
      'ab',
      'application/octet-stream',
      null,
    ]);
  });

  test('are more than the service keeps in memory, and arrive whole', async () => {
    const { post } = await serve(
      async ({ body }) => {
        const hash = createHash('sha256');
        for await (const chunk of body.stream) hash.update(chunk);
        return fine(hash.digest('hex'));
      },
      { limit: 2 ** 30, maxBufferedBytes: 300_000 },
    );
    const hash = createHash('sha256');
    for (let nth = 0; nth < 4; nth += 1) hash.update(MEBIBYTE);
    expect(await (await post(mebibytes(4))).json()).toBe(hash.digest('hex'));
  });

  test('are read no faster than the handler reads them', async () => {
    let go = (): void => {};
    const { port } = await serve(
      async ({ body }) => {
        await once(body.stream, 'readable');
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        return count({ body, signal: new AbortController().signal });
      },
      { limit: 2 ** 30 },
    );
    const socket = await openSocket(port);
    socket.write(
      head(
        'POST /files',
        'Content-Type: application/octet-stream',
        `Content-Length: ${32 * 2 ** 20}`,
        'Connection: close',
      ),
    );
    let sent = 0;
    const isTaken = (): Promise<boolean> =>
      new Promise((resolve) => {
        sent += 1;
        if (socket.write(MEBIBYTE)) resolve(true);
        socket.once('drain', () => resolve(true));
        setTimeout(resolve, 300, false);
      });
    while (await isTaken()) expect(sent).toBeLessThan(32);
    const answer = readToEnd(socket);
    go();
    for (; sent < 32; sent += 1) socket.write(MEBIBYTE);
    expect(parseReply(await answer).body).toEqual({ size: 32 * 2 ** 20 });
  });

  test('are inflated within the limit', async () => {
    const { post } = await serve(count, { limit: 2 ** 20 });
    const gzip = { 'content-encoding': 'gzip' };
    const type = 'application/octet-stream';
    expect(await (await post(gzipSync(MEBIBYTE), type, gzip)).json()).toEqual({ size: 2 ** 20 });
    const bomb = gzipSync(Buffer.alloc(2 ** 20 + 1));
    expect(await statusOf(await post(bomb, type, gzip))).toMatchObject([413, { error: 41301 }]);
    expect((await post('a', type, { 'content-encoding': 'zip' })).status).toBe(415);
  });

  const BREAKS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    'is altered': (bytes) => bytes.fill(0xff, 20, 60),
    'has a wrong checksum': (bytes) => bytes.fill(0xff, bytes.length - 6),
    'is cut short': (bytes) => bytes.subarray(0, -9),
    'has more behind it': (bytes) => Buffer.concat([bytes, Buffer.from('more')]),
    'is not compressed': (bytes) => Buffer.alloc(bytes.length, 'x'),
  };
  const READS: readonly Handle[] = [
    count,
    async ({ body }) => {
      await pipeline(body.stream, new PassThrough().resume());
      return fine('piped');
    },
  ];

  test.each(Object.entries(BREAKS))('a gzip body that %s gets 400, however it comes', async (_how, spoil) => {
    for (const read of READS) {
      const { post, lines } = await serve(read, { limit: 2 ** 30 });
      for (const [size = 0, pieces = 0] of [
        [100, 1],
        [100, 3],
        [300_000, 1],
        [300_000, 20],
      ]) {
        const bytes = spoil(gzipSync(randomBytes(size)));
        const length = Math.ceil(bytes.length / pieces);
        const parts = Array.from({ length: pieces }, (_, nth) =>
          bytes.subarray(nth * length, (nth + 1) * length),
        ).filter((part) => part.length > 0);
        const reply = post(Readable.from(parts), 'application/octet-stream', { 'content-encoding': 'gzip' });
        expect(await statusOf(await reply)).toEqual([
          400,
          { error: 40001, message: 'body is not valid gzip' },
        ]);
      }
      expect(lines.filter((line) => 'err' in line)).toEqual([]);
    }
  });

  test('that are required may not be missing', async () => {
    const { post } = await serve(count);
    for (const body of ['', Readable.from([])])
      expect(await statusOf(await post(body))).toMatchObject([400, { message: 'body is required' }]);
  });

  test('a media type that the contract does not have is refused before a byte is read', async () => {
    const { post } = await serve(count);
    expect((await post('a', 'image/png')).status).toBe(415);
  });

  test('JSON arrives as a whole, within the limit of the service', async () => {
    const { post } = await serve(async ({ body }) => fine(body), { limit: 2 ** 30, maxBodyBytes: 100 });
    expect(await (await post('{"a":1}', 'application/json')).json()).toEqual({ a: 1 });
    expect((await post(`{"a":"${'x'.repeat(100)}"}`, 'application/json')).status).toBe(413);
  });

  test('may go straight into the reply', async () => {
    const { port } = await serve(
      async ({ body }) => ({
        status: 200,
        headers: { 'Content-Type': 'text/plain' },
        body: body.stream,
      }),
      { limit: 2 ** 30 },
    );
    const socket = await openSocket(port);
    const answer = readToEnd(socket);
    socket.write(
      head(
        'POST /files',
        'Content-Type: application/octet-stream',
        `Content-Length: ${8 * 2 ** 20}`,
        'Connection: close',
      ),
    );
    for (let nth = 0; nth < 8; nth += 1) socket.write(MEBIBYTE);
    expect((await answer).replaceAll(/[^#]/g, '').length).toBe(8 * 2 ** 20);
  });
});

describe('the limit', () => {
  test.each<[string, Options]>([
    ['of the handler', { limit: 1000, operation: { 'x-max-body-bytes': 10 } }],
    ['of the contract', { operation: { 'x-max-body-bytes': 1000 } }],
    ['of the service', { maxBodyBytes: 1000 }],
    ['of the contract, for a whole body', { streams: false, operation: { 'x-max-body-bytes': 1000 } }],
  ])('%s holds, announced or not', async (_whose, options) => {
    const whole: Handle = async ({ body }) => fine({ size: Object.keys(body).length });
    const { post } = await serve(options.streams === false ? whole : count, options);
    for (const wrap of [
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]),
    ]) {
      expect((await post(wrap(Buffer.alloc(1000)))).status).toBe(200);
      expect(await statusOf(await post(wrap(Buffer.alloc(1001))))).toMatchObject([
        413,
        { message: 'the body is larger than 1000 bytes' },
      ]);
    }
  });

  test('is the reply to the client, whatever the handler does with the error', async () => {
    const { post } = await serve(
      (request) =>
        count(request).catch((cause) => {
          throw new Error('the bucket has failed', { cause });
        }),
      { limit: 10 },
    );
    expect((await post(Readable.from(['12345', '678901']))).status).toBe(413);
  });

  test('must be a number of bytes', async () => {
    await expect(serve(count, { operation: { 'x-max-body-bytes': '2 GiB' } })).rejects.toThrow(
      'openapi.yaml: x-max-body-bytes of upload is 2 GiB; write a whole number of bytes',
    );
  });
});

describe('a form', () => {
  let listing: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => {
    listing = await serve(list, { limit: 2 ** 30, maxBodyBytes: 2000 });
  });

  test('comes part by part, fields before and after the file', async () => {
    const { post } = listing;
    const [type, bytes] = inParts(
      PURPOSE,
      { name: 'size', is: '9007199254740993' },
      file('file', 'bytes'),
      { name: 'tags', is: '1' },
      { name: 'tags', is: '2' },
      { name: 'about', is: '{"id":1}', type: 'application/json', filename: 'blob' },
      file('pictures', 'p', 'image/jpeg'),
      { name: 'other', is: 'not declared' },
      file('others', 'not declared'),
      file('hidden', 'only in replies'),
      { name: 'mode', is: 'fast' },
    );
    expect(await (await post(bytes, type)).json()).toEqual([
      ['purpose', 'tests'],
      ['size', '9007199254740993n'],
      ['file', 'file.png', 'image/png', 'bytes'],
      ['tags', '1n'],
      ['tags', '2n'],
      ['about', { id: 1 }],
      ['pictures', 'pictures.png', 'image/jpeg', 'p'],
      ['mode', 'fast'],
    ]);
  });

  test('has members in brackets at its end, files of lists as they come, and lists of JSON item by item', async () => {
    const { post } = listing;
    const [type, bytes] = inParts(
      { name: 'about[id]', is: '9007199254740993' },
      PURPOSE,
      file('file', 'bytes'),
      file('pictures[0]', 'p', 'image/jpeg'),
      { name: 'notes', is: '[{"id":1},{"id":2}]' },
      { name: 'tags[0]', is: '1' },
      { name: 'tags[1]', is: '2' },
      { ...file('caption', 'a text'), type: 'text/plain' },
      file('caption', Buffer.of(0xff)),
    );
    expect(await (await post(bytes, type)).json()).toEqual([
      ['purpose', 'tests'],
      ['file', 'file.png', 'image/png', 'bytes'],
      ['pictures', 'pictures[0].png', 'image/jpeg', 'p'],
      ['notes', { id: 1 }],
      ['notes', { id: 2 }],
      ['caption', 'a text'],
      ['caption', { type: 'Buffer', data: [0xff] }],
      ['about', { id: 9007199254740992 }],
      ['tags', '1n'],
      ['tags', '2n'],
      ['mode', 'plain'],
    ]);
  });

  test('is the same if each byte arrives in a separate chunk', async () => {
    const begun = new EventEmitter();
    const { port } = await serve((request) => {
      begun.emit('begun');
      return list(request);
    });
    const is = '\r\n--the-boundary\r\r\n-\r\n\r\n--the-boundary-of-a-form-in-part';
    const [type, bytes] = inParts(PURPOSE, file('file', is));
    const socket = await openSocket(port);
    const answer = readToEnd(socket);
    socket.write(
      head('POST /files', `Content-Type: ${type}`, 'Transfer-Encoding: chunked', 'Connection: close'),
    );
    await once(begun, 'begun');
    socket.write(`${[...bytes.toString()].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`);
    expect(parseReply(await answer).body).toEqual([
      ['purpose', 'tests'],
      ['file', 'file.png', 'image/png', is],
      ['mode', 'plain'],
    ]);
  });

  test.each([
    ['a form that is read while it arrives', true, list],
    ['a whole form', false, async () => fine([])],
  ])('%s is refused if its boundary is longer than RFC 2046 allows', async (_what, streams, handle) => {
    const { post } = await serve(handle, { streams });
    const [type, bytes] = inParts(PURPOSE, file('file', 'bytes'));
    const postWith = (boundary: string) =>
      post(
        bytes.toString().replaceAll(/the-boundary[-\w]*parts/g, boundary),
        type.replace(/=.*/, `=${boundary}`),
      );
    expect((await postWith('b'.repeat(70))).status).toBe(200);
    expect(await statusOf(await postWith('b'.repeat(71)))).toMatchObject([
      400,
      { message: 'the boundary of body must have 1 to 70 characters' },
    ]);
  });

  test('yields defaults last: they are known only at its end', async () => {
    const { post } = listing;
    const [type, bytes] = inParts(
      { name: 'tags[]', is: '2' },
      file('pictures[]', 'p'),
      file('file', 'bytes'),
      PURPOSE,
    );
    expect(await (await post(bytes, type)).json()).toEqual([
      ['tags', '2n'],
      ['pictures', 'pictures[].png', 'image/png', 'p'],
      ['file', 'file.png', 'image/png', 'bytes'],
      ['purpose', 'tests'],
      ['mode', 'plain'],
    ]);
  });

  test.each<[what: string, parts: Part[], status: number, message: string]>([
    ['a field that its schema refuses', [{ name: 'purpose', is: 'fun' }], 400, 'body.purpose must be'],
    ['a field that is missing', [file('file', 'ab')], 400, 'body.purpose is required'],
    ['a file that is missing', [PURPOSE], 400, 'body.file is required'],
    ['a field twice', [PURPOSE, PURPOSE, file('file', 'ab')], 400, 'body.purpose must be a string'],
    [
      'too many files',
      [PURPOSE, file('file', 'ab'), ...'abc'.split('').map((is) => file('pictures', is))],
      400,
      'body.pictures must not have more than 2 items',
    ],
    [
      'a file that is too small',
      [PURPOSE, file('file', 'a')],
      400,
      'body.file must not have fewer than 2 characters',
    ],
    [
      'a file that is too large',
      [PURPOSE, file('file', MEBIBYTE)],
      400,
      'body.file must not have more than 1000000 bytes',
    ],
    [
      'a file of another media type',
      [PURPOSE, file('pictures', 'a', 'text/html')],
      415,
      'send body.pictures as image/png or image/jpeg',
    ],
    [
      'a text that is not UTF-8',
      [{ name: 'mode', is: Buffer.of(0xff) }],
      400,
      'body.mode is not valid UTF-8',
    ],
    ['a text with U+0000', [{ name: 'mode', is: 'a\0' }], 400, 'body.mode must not hold U+0000'],
    [
      'fields of too many bytes',
      [{ name: 'mode', is: 'x'.repeat(3000) }],
      413,
      'the fields of the body are larger than 2000 bytes',
    ],
    [
      'a thousand parts and one',
      Array.from({ length: 1001 }, () => ({ name: 'o', is: '' })),
      413,
      'the body has more than 1000 parts',
    ],
  ])('with %s is refused', async (_what, parts, status, message) => {
    const [type, bytes] = inParts(...parts);
    expect(await statusOf(await listing.post(bytes, type))).toEqual([
      status,
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ]);
  });

  test.each<[what: string, change: (text: string) => string]>([
    ['is cut short', (form) => form.slice(0, -20)],
    ['has a part without a name', (form) => form.replace('; name="purpose"', '')],
    ['has a part without an end to its header', (form) => form.replace('\r\n\r\ntests', '')],
    ['has no parts at all', () => 'nothing'],
  ])('that %s is refused', async (_what, change) => {
    const [type, bytes] = inParts(PURPOSE, file('file', 'bytes'));
    expect(await statusOf(await listing.post(change(bytes.toString()), type))).toMatchObject([
      400,
      { message: 'body is not valid multipart/form-data' },
    ]);
  });

  test('drops the files that the handler does not read, or reads in part', async () => {
    const { post } = await serve(
      async ({ body }) => {
        const seen: unknown[] = [];
        for await (const part of body) {
          if ('stream' in part) for await (const chunk of part.stream) if (seen.push(chunk.length > 0)) break;
          if ('value' in part) seen.push(part.value);
        }
        return fine(seen);
      },
      { limit: 2 ** 30 },
    );
    const [type, bytes] = inParts(file('file', Buffer.alloc(999_999)), PURPOSE, { name: 'mode', is: 'last' });
    expect(await (await post(bytes, type)).json()).toEqual([true, 'tests', 'last']);
    const names: Handle = async ({ body }) => {
      const seen: string[] = [];
      for await (const { name } of body) seen.push(name);
      return fine(seen);
    };
    const { post: postNames } = await serve(names, { limit: 2 ** 30 });
    expect(await (await postNames(bytes, type)).json()).toEqual(['file', 'purpose', 'mode']);
  });

  const named = (disposition: string) => {
    const [type, bytes] = inParts(PURPOSE, { ...file('file', 'ab'), filename: 'NAME' });
    const sent = bytes.toString('latin1').replace('filename="NAME"', disposition);
    return listing.post(Buffer.from(sent, 'latin1'), type);
  };

  test.each([
    ['without a path', 'filename="../../etc/\u00c3\u00a9%22.png"', 'é".png'],
    ["as Python's urllib3 sends them", "filename*=utf-8''a%2Fn%C3%A4me.png", 'näme.png'],
  ])('has file names %s', async (_how, disposition, name) => {
    expect(await (await named(disposition)).json()).toContainEqual(['file', name, 'image/png', 'ab']);
  });

  test.each(['.', '..', 'a/..', 'a\\\\..', 'a\0b', '\u00e9'])(
    'refuses the file name %j',
    async (filename) => {
      expect(await statusOf(await named(`filename="${filename}"`))).toMatchObject([
        400,
        { message: expect.stringContaining('a filename in body') },
      ]);
    },
  );

  test.each([16_384, 16_385, 60_000])(
    'takes a part whose header has %d bytes only up to 16 KiB',
    async (size) => {
      const { post } = listing;
      const [type, bytes] = inParts({ ...PURPOSE, type: 'TYPE' }, file('file', 'ab'));
      const text = bytes.toString();
      const [before = '', ...rest] = text.split('TYPE');
      const header = before.slice(before.indexOf('\r\n'));
      const sent = `${before}${'t'.repeat(size - header.length)}${rest.join('')}`;
      expect((await post(Buffer.from(sent), type)).status).toBe(size > 16_384 ? 413 : 200);
    },
  );
});

describe('in the middle of an upload', () => {
  const HEAD = head('POST /files', 'Content-Type: application/octet-stream', 'Content-Length: 3000000');

  test('an error of the handler is answered, and the connection closes', async () => {
    const { port, lines } = await serve(
      async ({ body }) => {
        await once(body.stream, 'readable');
        throw new Error('the disk is full');
      },
      { limit: 2 ** 30 },
    );
    const socket = await openSocket(port);
    const answer = readToEnd(socket);
    socket.write(HEAD);
    socket.write(Buffer.alloc(3_000_000));
    socket.end(head('GET /healthz', 'Connection: close'));
    expect(parseReplies(await answer).map(({ status }) => status)).toEqual([500]);
    expect(lines).toContainEqual(expect.objectContaining({ operation: 'upload', status: 500 }));
  });

  test('a client that leaves ends the stream and aborts the signal; it is no failure', async () => {
    const ends: unknown[] = [];
    const begun = new EventEmitter();
    const { port, lines } = await serve(
      async ({ body, signal }) => {
        begun.emit('begun');
        signal.addEventListener('abort', () => ends.push('aborted'));
        body.stream.on('close', () => ends.push('closed'));
        return count({ body, signal });
      },
      { limit: 2 ** 30 },
    );
    const socket = await openSocket(port);
    socket.write(HEAD + 'x'.repeat(1000));
    await once(begun, 'begun');
    socket.resetAndDestroy();
    while (ends.length < 2 || lines.length === 0) await new Promise(setImmediate);
    expect(ends.sort()).toEqual(['aborted', 'closed']);
    expect(lines).toEqual([expect.not.objectContaining({ status: expect.anything() })]);
  });

  test('a reply ends the stream that the handler still reads', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const { post } = await serve(
      async (request) => {
        late = count(request).catch((error: Error) => error.message);
        return fine('early');
      },
      { limit: 2 ** 30 },
    );
    expect(await (await post(mebibytes(2))).json()).toBe('early');
    expect(await late).toBe('the reply was sent before the body was read to its end');
  });

  test('100 Continue is sent once the handler begins to read', async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { port } = await serve(async (request) => {
      await begun;
      return count(request);
    });
    const socket = await openSocket(port);
    const answers: string[] = [];
    socket.on('data', (chunk: Buffer) => answers.push(String(chunk)));
    socket.write(
      head(
        'POST /files',
        'Content-Type: application/octet-stream',
        'Content-Length: 2',
        'Expect: 100-continue',
        'Connection: close',
      ),
    );
    await sleep(50);
    expect(answers).toEqual([]);
    begin();
    await once(socket, 'data');
    expect(answers.join('')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('ab');
    await once(socket, 'close');
    expect(answers.at(-1)).toContain('{"size":2}');
  });
});

describe('time', () => {
  const timeouts = { headers: 300, request: 600 };
  const HEAD = head(
    'POST /files',
    'Content-Type: application/octet-stream',
    'Content-Length: 100000',
    'Connection: close',
  );

  /** Sends the head of an upload to a handler, and then as much as `send` sends. Gives the reply. */
  const upload = async (handle: Handle, send: (write: (bytes: number) => void) => Promise<void>) => {
    const { port } = await serve(handle, { timeouts, limit: 2 ** 30 });
    const socket = await openSocket(port);
    const answer = readToEnd(socket);
    socket.write(HEAD);
    await send((bytes) => socket.write(Buffer.alloc(bytes)));
    return parseReply(await answer);
  };
  const after = (pause: number, times: number, bytes: number) => async (write: (bytes: number) => void) => {
    for (let nth = 0; nth < times; nth += 1) {
      await sleep(pause);
      write(bytes);
    }
  };

  test('is not the limit of an upload, as long as bytes arrive, or its handler does not read', async () => {
    const readSlowly: Handle = async ({ body }) => {
      await sleep(1300); // by far more than a client may take
      for await (const chunk of body.stream) if (chunk.length > 0) break;
      await sleep(800);
      return fine('read');
    };
    const replies = await Promise.all([
      upload(count, after(60, 20, 5000)),
      upload(count, after(350, 4, 25_000)), // it pauses, and then makes up for it
      upload(readSlowly, async (write) => write(99_999)),
    ]);
    expect(replies.map(({ body }) => body)).toEqual([{ size: 100_000 }, { size: 100_000 }, 'read']);
  });

  test('is up for an upload that is too slow: 408', async () => {
    const closed: string[] = [];
    const noteEnd: Handle = (request) => {
      request.body.stream.on('close', () => closed.push('closed'));
      return count(request);
    };
    const { status } = await upload(noteEnd, after(50, 10, 1));
    expect(status).toBe(408);
    while (closed.length === 0) await new Promise(setImmediate);
  });
});

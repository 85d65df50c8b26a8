import { EventEmitter, on, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingRequest } from '@trellis/contract';
import { createFeed } from '@trellis/server/http';
import { exchange, head, openSocket, readToEnd } from '../../../../tests/support/raw-http.ts';
import { operationServers, type ServeOptions } from '../support/serve.ts';

const ID = { type: 'integer', format: 'int64' };
const SALE = { type: 'object', required: ['id'], properties: { id: ID }, additionalProperties: false };
const EVENT = { type: 'object', required: ['data'], properties: { event: { type: 'string' }, data: SALE } };

const MEDIA_TYPES = {
  '/bytes': ['application/octet-stream', { type: 'string', format: 'binary' }],
  '/text': ['text/csv', { type: 'string' }],
  '/events': ['text/event-stream', { type: 'string' }],
  '/event-data': ['text/event-stream', SALE],
  '/whole-events': ['text/event-stream', { type: 'array', items: EVENT }],
  '/lines': ['application/jsonl', SALE],
  '/parts': ['multipart/mixed', { type: 'array', items: { anyOf: [SALE, { type: 'string' }] } }],
  '/records': ['application/json-seq', { type: 'array', items: SALE }],
} as const;

type Path = keyof typeof MEDIA_TYPES;

const serveOperation = operationServers();

/** Serves a body on one path, and keeps the lines of the log. */
const serve = async (
  path: Path,
  bodyOf: (signal: AbortSignal, sent: Headers) => unknown,
  { headers, ...options }: Partial<ServeOptions> & { headers?: Record<string, unknown> } = {},
) => {
  const [mediaType, schema] = MEDIA_TYPES[path];
  const responses = { 200: { description: '', content: { [mediaType]: { schema } } } };
  return serveOperation(
    { path, operationId: 'watch', responses },
    async ({ signal, headers: sent }: IncomingRequest) => ({
      status: 200,
      ...(headers && { headers }),
      body: bodyOf(signal, sent),
    }),
    { checkReplies: true, ...options },
  );
};

const textOf = async (path: Path, bodyOf: () => unknown): Promise<string> => {
  const { url } = await serve(path, bodyOf);
  const reply = await fetch(url);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe(MEDIA_TYPES[path][0]);
  return reply.text();
};

/** A door that a generator waits at. */
const createDoor = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise(setImmediate);
};

async function* give(...items: readonly unknown[]) {
  yield* items;
}

describe('a body may be', () => {
  test.each<[string, () => unknown]>([
    ['an async generator', () => give('one,', Buffer.from('two'))],
    ['a Readable', () => Readable.from(['one,', Buffer.from('two')])],
    ['a ReadableStream', () => ReadableStream.from(['one,', Buffer.from('two')])],
  ])('%s, of bytes and of text', async (_what, bodyOf) => {
    expect(await textOf('/bytes', bodyOf)).toBe('one,two');
    expect(await textOf('/text', bodyOf)).toBe('one,two');
  });

  test('a file, byte for byte', async () => {
    const file = new URL('../support/things.yaml', import.meta.url);
    const { url } = await serve('/bytes', () => createReadStream(file));
    const whole = await new Promise<string>((resolve) => {
      let text = '';
      createReadStream(file, 'utf8')
        .on('data', (chunk) => {
          text += chunk;
        })
        .on('end', () => resolve(text));
    });
    expect(await (await fetch(url)).text()).toBe(whole);
  });

  test('empty', async () => {
    expect(await textOf('/bytes', () => give())).toBe('');
    expect(await textOf('/lines', () => give())).toBe('');
  });
});

describe('each item is sent as it comes', () => {
  test.each(['/bytes', '/events'] as const)('of %s', async (path) => {
    const door = createDoor();
    const { url } = await serve(path, async function* () {
      yield 'first\n\n';
      await door.opened;
      yield 'second\n\n';
    });
    const reader = (await fetch(url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first\n\n');
    door.open();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second\n\n');
    expect((await reader?.read())?.done).toBe(true);
  });

  test('an event stream answers before its first event', async () => {
    const door = createDoor();
    const { url } = await serve('/events', async function* () {
      await door.opened;
      yield 'late';
    });
    const reply = await fetch(url);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    door.open();
    expect(await reply.text()).toBe('late');
  });
});

describe('items are written by their schema, to the last digit', () => {
  const sale = { id: 9007199254740993n };

  test('as lines of JSON', async () => {
    expect(await textOf('/lines', () => give(sale, { id: 2 }))).toBe('{"id":9007199254740993}\n{"id":2}\n');
  });

  test('as records of a JSON text sequence', async () => {
    expect(await textOf('/records', () => give(sale))).toBe('\u001e{"id":9007199254740993}\n');
  });

  test('as events, whose schema may describe their data', async () => {
    expect(await textOf('/event-data', () => give({ event: 'sold', id: 7, data: sale }))).toBe(
      'event: sold\nid: 7\ndata: {"id":9007199254740993}\n\n',
    );
  });

  test('as events, whose schema may describe the whole event', async () => {
    expect(await textOf('/whole-events', () => give({ event: 'sold', data: sale }))).toBe(
      'event: sold\ndata: {"id":9007199254740993}\n\n',
    );
  });

  test('a text in an event has a line of data for each of its lines', async () => {
    const events = () =>
      give({ data: 'a\nb\r\nc\u2028d\n', retry: 100 }, { comment: 'x\ny' }, 'data: raw\n\n');
    expect(await textOf('/events', events)).toBe(
      'retry: 100\ndata: a\ndata: b\ndata: c\u2028d\ndata: \n\n: x\n: y\n\ndata: raw\n\n',
    );
  });
});

describe('part of a body is never mistaken for the whole', () => {
  test.each<[string, Path, () => unknown, string]>([
    [
      'a source that fails',
      '/text',
      async function* () {
        yield 'half';
        throw new Error('the tape is torn');
      },
      'the tape is torn',
    ],
    ['an item that cannot be written', '/bytes', () => give('half', 1), 'must give texts or bytes'],
    [
      'an item that breaks the contract',
      '/lines',
      () => give({ id: 1 }, { id: 'x' }),
      'body.id must be an int64',
    ],
    ['an event whose data breaks it', '/event-data', () => give({ data: {} }), 'body.id is required'],
    ['an event whose name has two lines', '/events', () => give({ event: 'a\nb' }), 'must be a single line'],
    ['no event', '/event-data', () => give('data: 1\n\n'), 'an event must be an object'],
  ])('%s cuts the connection, and the log says why', async (_what, path, bodyOf, why) => {
    const { url, lines } = await serve(path, bodyOf);
    const reply = await fetch(url);
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow('terminated');
    expect(lines).toMatchObject([
      { status: 500, stream: 'failed', err: { message: expect.stringContaining(why) } },
    ]);
  });

  test.each([
    ['longer', ['four', 'more'], 'the body is longer than 4 bytes'],
    ['shorter', ['two'], 'the body ended after 3 of 4 bytes'],
  ])('a body that is %s than its Content-Length cuts the connection', async (_what, chunks, why) => {
    const { url, lines } = await serve('/bytes', () => give(...chunks), { headers: { 'Content-Length': 4 } });
    await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow();
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ stream: 'failed', err: { message: why } }]);
  });

  test('a body of the promised length is sent with it', async () => {
    const { url } = await serve('/bytes', () => give('fo', 'ur'), { headers: { 'Content-Length': 4 } });
    const reply = await fetch(url);
    expect(reply.headers.get('content-length')).toBe('4');
    expect(await reply.text()).toBe('four');
  });

  test('a file that cannot be read is an error of the service, and no stream', async () => {
    const { url, lines } = await serve('/bytes', () => createReadStream('/nowhere/at/all'));
    const reply = await fetch(url);
    expect(reply.status).toBe(500);
    expect(await reply.json()).toMatchObject({ message: 'internal error' });
    expect(lines).toMatchObject([{ status: 500, err: { message: expect.stringContaining('ENOENT') } }]);
  });
});

describe('when the client leaves', () => {
  test('a generator is ended where it stands', async () => {
    const door = createDoor();
    const { url, lines } = await serve('/events', async function* () {
      try {
        for (;;) {
          yield 'data: again\n\n';
          await new Promise(setImmediate);
        }
      } finally {
        door.open();
      }
    });
    const aborted = new AbortController();
    const reply = await fetch(url, { signal: aborted.signal });
    await reply.body?.getReader().read();
    aborted.abort();
    await door.opened;
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ status: 200, stream: 'client left', bytes: expect.any(Number) }]);
  });

  test('the stream of the connection is ended, and none starts that was requested behind it', async () => {
    const sales = new EventEmitter();
    const { port, lines } = await serve('/events', async function* (signal) {
      for await (const [sale] of on(sales, 'sold', { signal })) yield `data: ${sale}\n\n`;
    });
    const socket = await openSocket(port);
    socket.write(head('GET /events').repeat(2));
    await until(() => sales.listenerCount('sold') === 1);
    socket.destroy();
    await until(() => lines.length === 2);
    expect(sales.listenerCount('sold')).toBe(0);
    expect(lines.map((line) => Reflect.get(line, 'stream'))).toEqual(['client left', undefined]);
  });

  test('before the first byte of a file there is no status to log', async () => {
    const door = createDoor();
    const { port, lines } = await serve('/bytes', async function* () {
      door.open();
      await new Promise(() => {});
      yield '';
    });
    const socket = await openSocket(port);
    socket.write(head('GET /bytes'));
    await door.opened;
    socket.resetAndDestroy();
    await until(() => lines.length > 0);
    expect(lines).toEqual([expect.not.objectContaining({ status: 200 })]);
    expect(lines).toMatchObject([{ stream: 'client left', bytes: 0 }]);
  });

  test('the signal of the request ends a generator that waits', async () => {
    const sales = new EventEmitter();
    const { url, lines } = await serve('/events', async function* (signal) {
      for await (const [sale] of on(sales, 'sold', { signal })) yield `data: ${sale}\n\n`;
    });
    const aborted = new AbortController();
    const reply = await fetch(url, { signal: aborted.signal });
    sales.emit('sold', 'fern');
    expect(Buffer.from((await reply.body?.getReader().read())?.value ?? []).toString()).toBe(
      'data: fern\n\n',
    );
    expect(sales.listenerCount('sold')).toBe(1);
    aborted.abort();
    await until(() => sales.listenerCount('sold') === 0);
    expect(lines).toMatchObject([{ status: 200, stream: 'client left', bytes: 12 }]);
  });

  test.each<[string, (onClose: () => void) => unknown]>([
    ['a Readable', (onClose) => new Readable({ read() {} }).on('close', onClose)],
    ['a ReadableStream', (onClose) => new ReadableStream({ cancel: onClose })],
  ])('%s is closed, even while it waits', async (_what, bodyOf) => {
    const door = createDoor();
    const { url, lines } = await serve('/events', () => bodyOf(door.open));
    const aborted = new AbortController();
    await fetch(url, { signal: aborted.signal });
    aborted.abort();
    await door.opened;
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ status: 200, stream: 'client left', bytes: 0 }]);
  });
});

test('the signal of a request that is answered in full is never aborted', async () => {
  const signals: AbortSignal[] = [];
  const { url, close } = await serve('/lines', (signal) => {
    signals.push(signal);
    return give({ id: 1 });
  });
  await (await fetch(url)).text();
  await close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('a stream is of the first media type that can be streamed, and a whole body of the first', async () => {
  const content = {
    'application/json': { schema: SALE },
    'text/event-stream': { schema: SALE },
    'text/csv': { schema: { type: 'string' } },
  };
  const parameters = [{ name: 'live', in: 'query', schema: { type: 'boolean' } }];
  const { url } = await serveOperation(
    { parameters, responses: { 200: { description: '', content } } },
    async ({ query: { live } }: { query: { live?: boolean } }) => ({
      status: 200,
      body: live ? give({ data: { id: 1 } }) : { id: 1 },
    }),
    { checkReplies: true },
  );
  const ask = async (query: string) => {
    const reply = await fetch(url + query);
    return [reply.headers.get('content-type'), await reply.text()];
  };
  expect(await ask('')).toEqual(['application/json', '{"id":1}']);
  expect(await ask('?live=true')).toEqual(['text/event-stream', 'data: {"id":1}\n\n']);
});

test('itemSchema of OpenAPI 3.2 is the schema of the items', async () => {
  const responses = { 200: { description: '', content: { 'text/event-stream': { itemSchema: EVENT } } } };
  const door = createDoor();
  const watch = async function* () {
    yield { data: { id: 2n ** 62n } };
    await door.opened;
    yield { data: { id: 1.5 } };
  };
  const { url, lines } = await serveOperation(
    { document: { openapi: '3.2.0' }, responses },
    async () => ({ status: 200, body: watch() }),
    { checkReplies: true },
  );
  const reader = (await fetch(url)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(`data: {"id":${2n ** 62n}}\n\n`);
  door.open();
  await expect(reader?.read()).rejects.toThrow('terminated');
  expect(lines).toMatchObject([
    { err: { message: expect.stringContaining('body.data.id must be an int64') } },
  ]);
});

test('a source is asked for no more than the client reads', async () => {
  let given = 0;
  const chunk = Buffer.alloc(64 * 1024);
  const { port } = await serve('/bytes', async function* () {
    for (; given < 10_000; given += 1) yield chunk;
  });
  const socket = await openSocket(port);
  socket.pause();
  socket.write(head('GET /bytes'));
  let before = -1;
  while (given === 0 || given !== before) {
    before = given;
    await sleep(50); // until it stands still
  }
  expect(given).toBeLessThan(1000);
  socket.destroy();
});

test('a source that never waits leaves turns of the event loop to others', async () => {
  let turns = 0;
  const work = async function* () {
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    for (let item = 0; item < 100; item += 1) {
      for (const end = performance.now() + 1; performance.now() < end; );
      yield 'x';
    }
    isOver = true;
  };
  const { url } = await serve('/text', work);
  expect(await (await fetch(url)).text()).toBe('x'.repeat(100));
  expect(turns).toBeGreaterThan(10);
});

describe('a feed', () => {
  test('streams published items to all subscribers, from then on', async () => {
    const feed = createFeed<{ id: number }>();
    const { url } = await serve('/lines', feed.subscribe);
    feed.publish({ id: 1 });
    const readers = await Promise.all(
      [fetch(url), fetch(url)].map(async (reply) => (await reply).body?.getReader()),
    );
    feed.publish({ id: 2 });
    feed.publish({ id: 3 });
    for (const reader of readers) {
      let text = '';
      while (!text.endsWith('{"id":3}\n'))
        text += Buffer.from((await reader?.read())?.value ?? []).toString();
      expect(text).toBe('{"id":2}\n{"id":3}\n');
      await reader?.cancel();
    }
  });

  test('ends for a subscriber who has left while it waited', async () => {
    const controller = new AbortController();
    const items = createFeed().subscribe(controller.signal);
    const next = items.next();
    controller.abort();
    expect(await next).toEqual({ value: undefined, done: true });
  });

  test('cuts off a subscriber who is further behind than it remembers', async () => {
    const feed = createFeed<number>(2);
    const items = feed.subscribe(new AbortController().signal);
    for (const item of [1, 2, 3]) feed.publish(item);
    await expect(items.next()).rejects.toThrow('more than 2 items of the feed behind');
    const others = feed.subscribe(new AbortController().signal);
    for (const item of [4, 5]) feed.publish(item);
    expect([await others.next(), await others.next()].map(({ value }) => value)).toEqual([4, 5]);
  });
});

test('HEAD starts no stream, and has the head of the GET', async () => {
  let isStarted = false;
  const { port } = await serve('/text', async function* () {
    isStarted = true;
    yield 'x';
  });
  const answer = await exchange(port, head('HEAD /text', 'Connection: close'));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('Content-Type: text/csv');
  expect(answer.endsWith('\r\n\r\n')).toBe(true);
  expect(isStarted).toBe(false);
});

test('a silent stream outlives the timeout of connections whose client reads nothing', async () => {
  const door = createDoor();
  const bodyOf = async function* () {
    yield { id: 1 };
    await door.opened;
    yield { id: 2 };
  };
  const { url } = await serve('/lines', bodyOf, { timeouts: { stalled: 50 } });
  const reply = await fetch(url);
  await sleep(200);
  door.open();
  expect(await reply.text()).toBe('{"id":1}\n{"id":2}\n');
});

describe('a stop', () => {
  test('ends an event stream between two events', async () => {
    const door = createDoor();
    const { url, stop, lines } = await serve('/events', async function* () {
      yield 'data: one\n\n';
      await door.opened;
    });
    const reply = await fetch(url);
    const text = reply.text();
    await stop(60_000);
    expect(await text).toBe('data: one\n\n');
    expect(lines).toMatchObject([{ status: 200, stream: 'stopped', bytes: 11 }]);
  });

  test('aborts the signal of a request whose events it ends', async () => {
    const sales = new EventEmitter();
    const { url, stop } = await serve('/events', async function* (signal) {
      for await (const [sale] of on(sales, 'sold', { signal })) yield `data: ${sale}\n\n`;
    });
    const reply = await fetch(url);
    await until(() => sales.listenerCount('sold') === 1);
    await stop(60_000);
    expect(await reply.text()).toBe('');
    expect(sales.listenerCount('sold')).toBe(0);
  });

  test('ends the event streams of requests that were pipelined, one after the other', async () => {
    const { port, stop, lines } = await serve('/events', async function* (signal) {
      yield 'data: one\n\n';
      await once(signal, 'abort');
    });
    const socket = await openSocket(port);
    const answers = readToEnd(socket);
    socket.write(head('GET /events').repeat(3));
    await once(socket, 'data');
    await stop(60_000);
    expect((await answers).match(/^HTTP\/1\.1 200/gm)).toHaveLength(3);
    expect(lines).toMatchObject(Array(3).fill({ status: 200, stream: 'stopped' }));
  });

  test('lets a file come to its end', async () => {
    const door = createDoor();
    const { url, stop, server } = await serve('/bytes', async function* () {
      yield 'half';
      await door.opened;
      yield ' and half';
    });
    const text = (await fetch(url)).text();
    const stopped = stop(60_000);
    await until(() => !server.listening);
    door.open();
    expect(await text).toBe('half and half');
    await stopped;
  });
});

test('the metrics count streams and their bytes', async () => {
  const { url } = await serve('/lines', () => give({ id: 1 }, { id: 2 }));
  await (await fetch(url)).text();
  const metrics = await (await fetch(new URL('/metrics', url))).text();
  expect(metrics).toContain('http_streams_total{operation="watch",end="complete"} 1');
  expect(metrics).toContain('http_streamed_bytes_total{operation="watch"} 18');
  expect(metrics).toContain('http_requests_total{operation="watch",status="200"} 1');
});

test('a second request waits for the stream before it on the same connection', async () => {
  const { port } = await serve('/lines', () => give({ id: 1 }));
  const socket = await openSocket(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(head('GET /lines') + head('GET /healthz', 'Connection: close'));
  await once(socket, 'close');
  const answer = Buffer.concat(chunks).toString();
  expect(answer.indexOf('{"id":1}')).toBeGreaterThan(0);
  expect(answer.indexOf('"status":"ok"')).toBeGreaterThan(answer.indexOf('{"id":1}'));
});

test('a client that connects again with Last-Event-ID gets the events after it', async () => {
  const { url } = await serve('/event-data', (_signal, sent) => {
    const last = Number(sent.get('Last-Event-ID') ?? 0);
    return give(...[1, 2, 3, 4].slice(last).map((id) => ({ id, data: { id } })));
  });
  const reader = (await fetch(url)).body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  expect(Buffer.from(value ?? []).toString()).toContain('id: 1');
  const again = await fetch(url, { headers: { 'Last-Event-ID': '2' } });
  expect((await again.text()).match(/^id: .*$/gm)).toEqual(['id: 3', 'id: 4']);
});

test('parts of multipart/mixed have separate headers, and each body has a new boundary', async () => {
  const { url } = await serve('/parts', () =>
    give(
      { body: { id: 9007199254740993n } },
      { headers: { 'content-type': 'text/csv', 'X-Row': '2' }, body: 'a,b' },
      { body: Buffer.from([0xff, 0x00]) },
    ),
  );
  const [reply, other] = await Promise.all([fetch(url), fetch(url)]);
  const type = reply.headers.get('content-type') ?? '';
  expect(type).toMatch(/^multipart\/mixed; boundary=[0-9a-f]{36}$/);
  expect(other.headers.get('content-type')).not.toBe(type);
  const [, boundary] = type.split('=');
  expect(Buffer.from(await reply.arrayBuffer()).toString('latin1')).toBe(
    [
      `--${boundary}\r\nContent-Type: application/json\r\n\r\n{"id":9007199254740993}\r\n`,
      `--${boundary}\r\ncontent-type: text/csv\r\nX-Row: 2\r\n\r\na,b\r\n`,
      `--${boundary}\r\nContent-Type: application/octet-stream\r\n\r\n\xff\x00\r\n`,
      `--${boundary}--\r\n`,
    ].join(''),
  );
  await other.text();
});

test.each([
  [{ body: { id: 'no int64' } }, 'an item of the stream'],
  [{ headers: { 'X-Row': '1\r\nX-Evil: 2' }, body: '' }, 'a part cannot have the header'],
  ['a text', 'a part must be an object'],
])('a part that is not one cuts the connection: %j', async (part, reason) => {
  const { url, lines } = await serve('/parts', () => give(part));
  await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow();
  await until(() => lines.length > 0);
  expect(JSON.stringify(lines)).toContain(reason);
});

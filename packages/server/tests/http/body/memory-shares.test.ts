import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Upload, UploadedField, UploadedFile } from '@trellis/contract';
import { head, openSocket, parseReply, readToEnd } from '../../../../../tests/support/raw-http.ts';
import { newDocument } from '../../support/documents.ts';
import { type ServeOptions, serveDocument } from '../../support/serve.ts';

const MEBIBYTE = 2 ** 20;
const LIMIT = 100_000;

type Service = Awaited<ReturnType<typeof serve>>;
let service: Service;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

interface Received {
  readonly body: Upload | AsyncIterable<UploadedField | UploadedFile>;
}

const drain = async ({ body }: Received): Promise<void> => {
  if ('stream' in body) for await (const chunk of body.stream) void chunk;
  else
    for await (const part of body) if ('stream' in part) await drain({ body: { ...part, size: undefined } });
};

/** A service with notes in JSON and uploads of any size. Its requests may keep 4 MiB in memory, 3 of them for large ones. */
const serve = async (
  receive: (request: Received) => Promise<unknown> = drain,
  options: Partial<ServeOptions> = {},
) => {
  let waiting = 0;
  const file = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } };
  const post = (operationId: string, content: object) => ({
    post: { operationId, requestBody: { content }, responses: { 200: { description: '' } } },
  });
  const started = await serveDocument({
    document: await newDocument({
      paths: {
        '/notes': post('addNote', { 'application/json': { schema: {} } }),
        '/files': post('addFile', {
          'application/octet-stream': {},
          'multipart/form-data': { schema: file },
        }),
      },
    }),
    handlers: {
      addNote: async () => ({ status: 200 }),
      addFile: {
        streams: true,
        maxBodyBytes: 2 ** 40,
        handle: async (request: Received) => {
          waiting += 1;
          await receive(request).finally(() => {
            waiting -= 1;
          });
          return { status: 200 };
        },
      },
    },
    maxBodyBytes: LIMIT,
    maxBufferedBytes: 4 * MEBIBYTE,
    trustProxy: ['loopback'],
    ...options,
  });
  return { ...started, handling: () => waiting };
};

const ME = '203.0.113.1';

/** The status of a note of this many bytes, sent by an address. */
const noteOf = async (bytes: number, from = ME): Promise<number> => {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: `"${'x'.repeat(bytes - 2)}"`,
  };
  const reply = await fetch(`${service.url}/notes`, request);
  await reply.arrayBuffer();
  return reply.status;
};

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Begins a request and sends a part of its body. Gives the status of the answer, once there is one. */
const begin = async (path: string, type: string, part: Buffer, fields: readonly string[] = []) => {
  const socket = await openSocket(service.port);
  sockets.push(socket);
  const answer = readToEnd(socket).then((text) => (text === '' ? undefined : parseReply(text).status));
  socket.write(
    head(
      `POST ${path}`,
      `Content-Type: ${type}`,
      'Transfer-Encoding: chunked',
      'Connection: close',
      ...fields,
    ),
  );
  socket.write(chunk(part));
  return { socket, answer };
};

const from = (address: string): string => `X-Forwarded-For: ${address}`;
const beginUpload = (part: Buffer, ...fields: string[]) =>
  begin('/files', 'application/octet-stream', part, [from(ME), ...fields]);

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(5);
};

/** Sends large notes until one is served: memory is given back a little after a client has left. */
const untilServed = async (): Promise<number> => {
  for (let tries = 0; ; tries += 1) {
    const status = await noteOf(LIMIT);
    if (status === 200 || tries === 500) return status;
    await sleep(5);
  }
};

/** Notes that are all but complete, as many as an address may hold, and more. */
const holdNotes = async (count: number, address = ME): Promise<void> => {
  const part = Buffer.from(`"${'x'.repeat(LIMIT - 2)}`);
  await Promise.all(
    Array.from({ length: count }, () => begin('/notes', 'application/json', part, [from(address)])),
  );
  while ((await noteOf(LIMIT, address)) === 200) await sleep(5);
};

test('uploads that hardly bring anything hold hardly anything', async () => {
  service = await serve();
  const uploads = await Promise.all(Array.from({ length: 60 }, () => beginUpload(Buffer.from('x'))));
  await until(() => service.handling() === uploads.length);
  expect(await noteOf(LIMIT)).toBe(200);
  for (const { socket } of uploads) socket.write('0\r\n\r\n');
  expect(new Set(await Promise.all(uploads.map(({ answer }) => answer)))).toEqual(new Set([200]));
});

test('large bodies of an address leave memory to small ones and to other addresses, until its clients leave', async () => {
  service = await serve();
  await holdNotes(40);
  expect(await noteOf(7)).toBe(200);
  expect(await noteOf(4096)).toBe(200);
  expect(await noteOf(LIMIT)).toBe(503);
  expect(await noteOf(LIMIT, '203.0.113.2')).toBe(200);
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(await untilServed()).toBe(200);
});

test('small bodies are served while many addresses hold all memory for large ones', async () => {
  service = await serve();
  for (let nth = 1; nth <= 5; nth += 1) await holdNotes(16, `198.51.100.${nth}`);
  expect(await noteOf(4096)).toBe(200);
});

test('the addresses of one IPv6 network are one client', async () => {
  service = await serve();
  await holdNotes(40, '2001:db8::1');
  expect(await noteOf(LIMIT, '2001:db8:0:0:ffff::7')).toBe(503);
  expect(await noteOf(LIMIT, '2001:db8:0:1::1')).toBe(200);
});

describe('what counts of an upload', () => {
  test('is the received part that its handler has not read', async () => {
    let letGo = (): void => {};
    const toldToRead = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    service = await serve(async (request) => {
      await toldToRead;
      await drain(request);
    });
    const uploads = await Promise.all(Array.from({ length: 40 }, () => beginUpload(Buffer.alloc(MEBIBYTE))));
    const answers = uploads.map(({ answer }) => answer);
    expect(await Promise.race(answers)).toBe(503);
    letGo();
    for (const { socket } of uploads) socket.end('0\r\n\r\n');
    expect(await untilServed()).toBe(200);
    expect(await Promise.all(answers)).toContain(200);
  });

  test('is the window of a brotli decoder', async () => {
    service = await serve(drain, { maxBufferedBytes: 32 * MEBIBYTE });
    const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 1 };
    const bomb = brotliCompressSync(Buffer.alloc(20 * MEBIBYTE), { params }).subarray(0, -4);
    const uploads = await Promise.all([1, 2].map(() => beginUpload(bomb, 'Content-Encoding: br')));
    expect(await Promise.race(uploads.map(({ answer }) => answer))).toBe(503);
    expect(await noteOf(4096)).toBe(200);
  });

  test('is the decoder of a gzip upload, while the upload lasts', async () => {
    service = await serve();
    const part = gzipSync('x'.repeat(100)).subarray(0, -8);
    const answers: Promise<number | undefined>[] = [];
    for (let nth = 0; nth < 30; nth += 1) {
      const { answer } = await beginUpload(part, 'Content-Encoding: gzip');
      answers.push(answer);
    }
    expect(await Promise.race(answers)).toBe(503);
    for (const socket of sockets.splice(0)) socket.destroy();
    expect(await untilServed()).toBe(200);
  });

  test('is each part of a form', async () => {
    service = await serve();
    const field = '--b\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n';
    const part = Buffer.from(field.repeat(900));
    const forms = await Promise.all(
      [1, 2, 3].map(() => begin('/files', 'multipart/form-data; boundary=b', part, [from(ME)])),
    );
    expect(await Promise.race(forms.map(({ answer }) => answer))).toBe(503);
    expect(await noteOf(4096)).toBe(200);
  });
});

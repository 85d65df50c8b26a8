import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedField, UploadedFile } from '../../contract/src/body/multipart/upload-form.ts';
import type { Upload } from '../../contract/src/body/upload.ts';
import { loadDocument } from '../../openapi/src/files/load.ts';
import { checkPreconditions, fileBody, rangedBody } from '../../server/src/http.ts';
import { serveDocument, type TestHandlers } from '../../server/tests/support/serve.ts';
import { run } from './run.ts';
import { temporaryFolders } from './temporary.ts';

const newFolder = temporaryFolders();

const TEXT = { type: 'string' };
const BINARY = { type: 'string', format: 'binary' };
const ID = { type: 'integer', format: 'int64' };
const NOTE = {
  type: 'object',
  required: ['id', 'text'],
  properties: { id: ID, text: { type: 'string', minLength: 1 } },
  additionalProperties: false,
};
const content = (mediaType: string, schema: object) => ({ content: { [mediaType]: { schema } } });
const json = (schema: object) => content('application/json', schema);
const REFUSED = { description: '', ...json({ type: 'object', required: ['error', 'message'] }) };
const ETAG = { ETag: { required: true, schema: TEXT } };
const field = (name: string) => ({ name, in: 'header', schema: TEXT });
const streamed = (operationId: string, mediaType: string, itemSchema: object) => ({
  get: {
    operationId,
    responses: { 200: { description: '', content: { [mediaType]: { itemSchema } } }, '4XX': REFUSED },
  },
});
/** A download that declares ranges in one of the possible ways. */
const download = (operationId: string, { headers = {}, more = {}, parameters = [] as object[] }) => ({
  get: {
    operationId,
    parameters,
    responses: {
      200: { description: '', headers, ...content('application/octet-stream', BINARY) },
      ...more,
      '4XX': REFUSED,
    },
  },
});
const PART = { description: '', headers: ETAG, ...content('application/octet-stream', BINARY) };

/** Everything about transfer that the service of @trellis/server does for its owner. */
const PATHS = {
  '/notes/{name}': {
    parameters: [{ name: 'name', in: 'path', required: true, schema: { enum: ['first', 'second'] } }],
    get: {
      operationId: 'readNote',
      responses: {
        200: { description: '', headers: ETAG, ...json(NOTE) },
        304: { description: '' },
        '4XX': REFUSED,
      },
    },
    put: {
      operationId: 'putNote',
      parameters: [field('If-Match'), field('If-None-Match')],
      requestBody: { required: true, ...json(NOTE) },
      responses: { 200: { description: '', headers: ETAG, ...json(NOTE) }, 412: REFUSED, '4XX': REFUSED },
    },
    delete: {
      operationId: 'deleteNote',
      parameters: [field('If-Match')],
      responses: { 204: { description: '' }, 412: REFUSED, '4XX': REFUSED },
    },
  },
  '/page': {
    get: {
      operationId: 'readPage',
      responses: { 200: { description: '', headers: ETAG, ...json(NOTE) }, 304: { description: '' } },
    },
    put: {
      operationId: 'putPage',
      parameters: [field('If-Match')],
      requestBody: { required: true, ...json(NOTE) },
      responses: { 200: { description: '', ...json(NOTE) }, 412: REFUSED, 428: REFUSED, '4XX': REFUSED },
    },
  },
  '/film': download('getFilm', {
    headers: { ETag: { schema: TEXT } },
    more: { 206: PART, 304: { description: '' }, 416: REFUSED },
  }),
  '/object': download('getObject', { parameters: [field('Range'), field('If-Range')] }),
  '/bytes': download('getBytes', { headers: { 'Accept-Ranges': { schema: TEXT } } }),
  '/events': streamed('watchEvents', 'text/event-stream', {
    type: 'object',
    required: ['event', 'data'],
    properties: { event: { const: 'sold' }, id: TEXT, data: NOTE },
  }),
  '/lines': streamed('readLines', 'application/jsonl', NOTE),
  '/parts': streamed('readParts', 'multipart/mixed', NOTE),
  '/files': {
    post: {
      operationId: 'upload',
      requestBody: {
        required: true,
        content: {
          'application/octet-stream': { schema: BINARY },
          'multipart/form-data': {
            schema: { type: 'object', required: ['id', 'file'], properties: { id: ID, file: BINARY } },
          },
        },
      },
      responses: { 200: { description: '', ...json(TEXT) }, '4XX': REFUSED },
    },
  },
};

const PARTS = {
  schema: {
    type: 'array',
    prefixItems: [NOTE, { type: ['integer', 'null'], format: 'int64' }],
    items: { anyOf: [{ ...BINARY, maxLength: 8 }, TEXT] },
    minItems: 2,
    maxItems: 5,
  },
  prefixEncoding: [{ contentType: 'application/json' }, { contentType: 'application/json' }],
};
/** Parts without names, described by position or all alike. */
const PARTS_PATHS = {
  '/mixed': {
    post: {
      operationId: 'sendMixed',
      requestBody: { required: true, content: { 'multipart/mixed': PARTS } },
      responses: { 200: { description: '', content: { 'multipart/mixed': PARTS } }, '4XX': REFUSED },
    },
  },
  '/pictures': {
    post: {
      operationId: 'sendPictures',
      requestBody: {
        required: true,
        content: { 'multipart/related': { itemSchema: {}, itemEncoding: { contentType: 'image/*' } } },
      },
      responses: { 200: { description: '', ...json({ type: 'integer' }) }, '4XX': REFUSED },
    },
  },
  '/numbers': {
    post: {
      operationId: 'sendNumbers',
      requestBody: {
        required: true,
        content: { 'multipart/mixed': { itemSchema: { type: 'number', maximum: 5 } } },
      },
      responses: {
        200: { description: '', content: { 'multipart/mixed': { itemSchema: { type: 'number' } } } },
        '4XX': REFUSED,
      },
    },
  },
};

interface Note {
  readonly id: bigint;
  readonly text: string;
}
interface Asked {
  readonly path: { readonly name: string };
  readonly header: { readonly 'If-Match'?: string; readonly 'If-None-Match'?: string };
  readonly body: Note;
}

const NOTES: readonly Note[] = [1n, 2n ** 63n - 1n].map((id) => ({ id, text: 'übrig' }));
const BYTES = Buffer.from(Array.from({ length: 300 }, (_, index) => index % 256));

async function* give<Item>(items: Iterable<Item>) {
  yield* items;
}

const createHandlers = (file: string): TestHandlers => {
  const notes = new Map<string, Note & { readonly version: number }>();
  let page = { id: 1n, text: 'page' };
  let version = 0;
  return {
    readNote: async ({ path: { name } }: Asked) => {
      const note = notes.get(name);
      if (!note) return { status: 404, body: { error: 40401, message: 'there is no such note' } };
      return { status: 200, headers: { ETag: note.version }, body: { id: note.id, text: note.text } };
    },
    putNote: async ({ path: { name }, header, body }: Asked) => {
      checkPreconditions(header, notes.get(name)?.version);
      version += 1;
      notes.set(name, { ...body, version });
      return { status: 200, headers: { ETag: version }, body };
    },
    deleteNote: async ({ path: { name }, header }: Asked) => {
      checkPreconditions(header, notes.get(name)?.version);
      if (notes.delete(name)) return { status: 204, body: undefined };
      return { status: 404, body: { error: 40401, message: 'there is no such note' } };
    },
    readPage: async () => ({ status: 200, headers: { ETag: `"v${version}"` }, body: page }),
    putPage: async ({ header, body }: Asked) => {
      checkPreconditions(header, `"v${version}"`, { required: true });
      version += 1;
      page = body;
      return { status: 200, body };
    },
    getFilm: async () => ({ status: 200, body: await fileBody(file) }),
    getObject: async () => {
      const slice = (start: number, end: number) => give([BYTES.subarray(start, end)]);
      return { status: 200, body: rangedBody({ size: BYTES.length, slice, version: 'a' }) };
    },
    getBytes: async () => ({ status: 200, body: BYTES }),
    watchEvents: async () => ({
      status: 200,
      body: give(NOTES.map((data, index) => ({ event: 'sold', id: `${index}`, data }))),
    }),
    readLines: async () => ({ status: 200, body: give(NOTES) }),
    readParts: async () => ({ status: 200, body: give(NOTES.map((body) => ({ body }))) }),
    upload: {
      streams: true,
      maxBodyBytes: 2 ** 20,
      handle: async ({ body }: { body: Upload | AsyncIterable<UploadedField | UploadedFile> }) => {
        const hash = createHash('sha256');
        const read = async (stream: AsyncIterable<Buffer>) => {
          for await (const chunk of stream) hash.update(chunk);
        };
        if ('stream' in body) await read(body.stream);
        else
          for await (const part of body)
            if ('stream' in part) await read(part.stream);
            else hash.update(`${part.name} ${part.value}\n`);
        return { status: 200, body: hash.digest('hex') };
      },
    },
  };
};

/** Tests a service of @trellis/server and returns the requests it served. */
const testOwn = async (paths: object, handlersOf: (folder: string) => TestHandlers, phases: string[]) => {
  const folder = await newFolder();
  const file = join(folder, 'openapi.yaml');
  await writeFile(file, JSON.stringify({ openapi: '3.2.0', info: { title: 'Notes', version: '1' }, paths }));
  await writeFile(join(folder, 'film'), BYTES);
  const served = new Set<string>();
  const { url, close } = await serveDocument({
    document: await loadDocument(file),
    handlers: handlersOf(folder),
    checkReplies: true,
    log: {
      info: (line) => void served.add(`${Reflect.get(line, 'operation')} ${Reflect.get(line, 'status')}`),
    },
  });
  const { text, failures } = await run({ spec: file, phases, requests: 2, url });
  await close();
  return { text, failures, served: [...served] };
};

test('a service of @trellis/server keeps what HTTP says of pieces, ranges, conditions and streams', async () => {
  const handlersOf = (folder: string) => createHandlers(join(folder, 'film'));
  const { text, failures, served } = await testOwn(PATHS, handlersOf, ['valid', 'transfer']);
  expect(text).not.toContain('curl');
  expect(failures).toBe(0);
  expect(served).toEqual(
    expect.arrayContaining([
      ...['readNote 200', 'readNote 304', 'putNote 200', 'putNote 412', 'deleteNote 204', 'deleteNote 412'],
      ...['readPage 304', 'putPage 200', 'putPage 412', 'putPage 428'],
      ...['getFilm 206', 'getFilm 304', 'getFilm 416', 'getObject 206', 'getObject 416', 'getBytes 206'],
      ...['watchEvents 200', 'readLines 200', 'readParts 200', 'upload 200'],
    ]),
  );
  expect(text).toMatch(/readLines: \d+ items of \d+ streams were read; 0 had not ended/);
});

test('a service of @trellis/server takes, refuses and sends parts as their contract says', async () => {
  const partsOf = ({ body }: { body: unknown[] }) => give(body.map((part) => ({ body: part })));
  const handlers: TestHandlers = {
    sendMixed: async (asked: { body: unknown[] }) => ({ status: 200, body: partsOf(asked) }),
    sendPictures: async ({ body }: { body: unknown[] }) => ({ status: 200, body: body.length }),
    sendNumbers: async (asked: { body: unknown[] }) => ({ status: 200, body: partsOf(asked) }),
  };
  const { text, failures, served } = await testOwn(PARTS_PATHS, () => handlers, []);
  expect(text).not.toContain('curl');
  expect(failures).toBe(0);
  for (const id of ['sendMixed', 'sendPictures', 'sendNumbers'])
    expect(served).toEqual(expect.arrayContaining([`${id} 200`, `${id} 400`]));
  expect(text).toMatch(/sendMixed: \d\d+ items of \d+ streams were read; 0 had not ended/);
});

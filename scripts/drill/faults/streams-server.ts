/** The plant store with streams beside its creates, and a contract of a megabyte, in the folder that it is started in. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '@trellis/server';
import { createFeed } from '@trellis/server/http';
import express from 'express';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { createHandlers } from '../../../src/handlers.ts';
import { errorBody, PRODUCT } from '../../../src/product.ts';
import { openStore } from '../../../src/store.ts';

const streamOf = (operationId: string, mediaType: string, schema: object) => ({
  get: {
    operationId,
    security: [],
    responses: { 200: { description: '', content: { [mediaType]: { schema } } } },
  },
});

const EVENT = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
const BYTES = { type: 'string', format: 'binary' };

/** Answers how many bytes have arrived. */
const UPLOAD = {
  operationId: 'upload',
  security: [],
  requestBody: {
    content: {
      'application/octet-stream': {},
      'multipart/form-data': { schema: { type: 'object', properties: { file: BYTES } } },
    },
  },
  responses: { 200: { description: '', content: { 'application/json': { schema: { type: 'integer' } } } } },
};

const plants = await loadDocument(fileURLToPath(PRODUCT.contract));
const contract = join(process.cwd(), 'contract.json');
writeFileSync(
  contract,
  JSON.stringify({
    ...plants,
    info: { ...plants.info, description: 'Read on. '.repeat(110_000) },
    paths: {
      ...plants.paths,
      '/bytes': streamOf('bytes', 'application/octet-stream', BYTES),
      '/uploads': { put: UPLOAD },
      '/events': streamOf('events', 'text/event-stream', EVENT),
    },
  }),
);

const feed = createFeed<number>();
const PIECE = Buffer.alloc(64 * 1024, 'x');
/** How many generators have started and not ended. */
let open = 0;

const counted = async function* <T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  open += 1;
  try {
    yield* source;
  } finally {
    open -= 1;
  }
};

const endless = async function* () {
  for (;;) yield PIECE;
};

const events = async function* (signal: AbortSignal) {
  for await (const n of feed.subscribe(signal)) yield { data: { n } };
};

interface Streaming {
  readonly signal: AbortSignal;
}

interface Sent {
  readonly stream: AsyncIterable<Buffer>;
}

const countBytes = async (body: Sent | AsyncIterable<Sent>): Promise<number> => {
  let bytes = 0;
  if ('stream' in body) for await (const chunk of counted(body.stream)) bytes += chunk.length;
  else for await (const part of body) bytes += await countBytes(part);
  return bytes;
};

let published = 0;
setInterval(() => {
  published += 1;
  feed.publish(published);
}, 300);

/** What the drill asks for: how many streams are open. */
const routes = () => express().get('/open', (_request, response) => void response.end(`${open}`));

await serve({
  ...PRODUCT,
  contract: pathToFileURL(contract),
  openStore,
  handlers: (store) => ({
    ...createHandlers(store),
    upload: {
      streams: true,
      maxBodyBytes: 2 ** 40,
      handle: async ({ body }: { body: Sent | AsyncIterable<Sent> }) => ({
        status: 200,
        body: await countBytes(body),
      }),
    },
    bytes: async () => ({ status: 200, body: counted(endless()) }),
    events: async ({ signal }: Streaming) => ({ status: 200, body: counted(events(signal)) }),
  }),
  errorBody,
  routes,
});

import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /file: { post: { operationId: putFile, requestBody: { required: true, content: { application/octet-stream: { schema: { type: string, format: binary } } } }, responses: { '204': { description: Fine } } } }
  /maybe: { post: { operationId: putMaybe, requestBody: { content: { image/*: {}, application/json: { schema: { $ref: '#/components/schemas/Id' } } } }, responses: { '204': { description: Fine } } } }
  /form: { post: { operationId: putForm, requestBody: { required: true, content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Form' } } } }, responses: { '204': { description: Fine } } } }
  /open: { post: { operationId: putOpen, requestBody: { required: true, content: { multipart/form-data: { schema: { type: object } } } }, responses: { '204': { description: Fine } } } }
components:
  schemas:
    Id: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
    Form:
      type: object
      required: [purpose, file]
      properties:
        purpose: { type: string, enum: [tests, use] }
        mode: { type: string, default: plain }
        ids: { type: array, items: { type: integer, format: int64 } }
        about: { $ref: '#/components/schemas/Id' }
        file: { type: string, format: binary }
        pictures: { type: array, items: { type: string, contentMediaType: image/png } }
        maybe: { type: [string, 'null'], format: binary }
        address: { type: string, readOnly: true }
`;

const HANDLERS = `
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Handler, Handlers, LimitedHandler, UploadHandler } from '../../generated/handler.ts';
const done = { status: 204, body: undefined } as const;
export const putFile: UploadHandler<'putFile'> = {
  streams: true,
  maxBodyBytes: 2 ** 31,
  handle: async ({ body, signal }) => {
    await pipeline(body.stream, createWriteStream(body.mediaType), { signal });
    const size: number = body.size; // error: it may be unknown
    return size > 0 ? done : done;
  },
};
export const undeclared: UploadHandler<'putFile'> = { streams: true, handle: async () => ({ status: 200, body: 'x' }) }; // error: a status that is not declared
export const notSaid: UploadHandler<'putFile'> = { handle: async () => done }; // error: it does not say that it streams
export const limited: LimitedHandler<'putFile'> = { maxBodyBytes: 10, handle: async ({ body }) => (body.length > 0 ? done : done) };
export const putMaybe: UploadHandler<'putMaybe'> = {
  streams: true,
  handle: async ({ body }) => {
    const type: string | undefined = body && 'stream' in body ? body.mediaType : undefined;
    const id: bigint | undefined = body && 'id' in body ? body.id : undefined;
    body?.stream; // error: it may be missing, or JSON
    return type === undefined && id === undefined ? done : done;
  },
};
export const putForm: UploadHandler<'putForm'> = {
  streams: true,
  handle: async ({ body }) => {
    for await (const part of body) {
      if (part.name === 'file' || part.name === 'pictures' || part.name === 'maybe') {
        const names: [string | undefined, string] = [part.filename, part.mediaType];
        for await (const chunk of part.stream) names.push(String(chunk));
      } else if (part.name === 'purpose') {
        const purpose: 'tests' | 'use' = part.value;
        const text: 'tests' = part.value; // error: or the other one
        if (purpose === text) continue;
      } else if (part.name === 'mode') {
        const mode: string = part.value;
        if (mode === '') continue;
      } else if (part.name === 'ids') {
        const id: bigint = part.value;
        if (id > 0n) continue;
      } else {
        const about: { id: bigint } = part.value;
        const rest: 'about' = part.name;
        if (about.id > 0n && rest) continue;
      }
    }
    return done;
  },
};
export const unknownPart: UploadHandler<'putForm'> = {
  streams: true,
  handle: async ({ body }) => {
    for await (const part of body) if (part.name === 'address') break; // error: only replies have it
    return done;
  },
};
export const putOpen: UploadHandler<'putOpen'> = {
  streams: true,
  handle: async ({ body }) => {
    for await (const part of body) if ('stream' in part) part.stream.resume();
    return done;
  },
};
declare const whole: Handler<'putForm'>;
export const all: Handlers = { putFile: limited, putMaybe, putForm: whole, putOpen };
export const mixed: Handlers = { putFile, putMaybe, putForm: putFile, putOpen }; // error: the handler of another operation
`;

test('an upload is typed by the contract: bytes, fields and files by their names', async () => {
  expect(complaintsOf(await generate(CONTRACT), HANDLERS)).toEqual(expectedOf(HANDLERS));
}, 120_000);

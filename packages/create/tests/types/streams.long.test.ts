import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /file: { get: { operationId: getFile, responses: { '200': { description: Fine, content: { application/octet-stream: { schema: { type: string, format: binary } } } } } } }
  /text: { get: { operationId: getText, responses: { '200': { description: Fine, content: { text/csv: { schema: { type: string } } } } } } }
  /json: { get: { operationId: getJson, responses: { '200': { description: Fine, content: { application/json: { schema: { type: string } } } } } } }
  /lines: { get: { operationId: getLines, responses: { '200': { description: Fine, content: { application/jsonl: { schema: { $ref: '#/components/schemas/Sale' } } } } } } }
  /list: { get: { operationId: getList, responses: { '200': { description: Fine, content: { application/json-seq: { schema: { type: array, items: { $ref: '#/components/schemas/Sale' } } } } } } } }
  /raw: { get: { operationId: getRaw, responses: { '200': { description: Fine, content: { text/event-stream: { schema: { type: string } } } } } } }
  /data: { get: { operationId: getData, responses: { '200': { description: Fine, content: { text/event-stream: { schema: { $ref: '#/components/schemas/Sale' } } } } } } }
  /events: { get: { operationId: getEvents, responses: { '200': { description: Fine, content: { text/event-stream: { schema: { type: array, items: { $ref: '#/components/schemas/Event' } } } } } } } }
components:
  schemas:
    Sale: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
    Event: { type: object, required: [event, data], properties: { event: { type: string, enum: [sold] }, data: { $ref: '#/components/schemas/Sale' } } }
`;

const HANDLERS = `
import { createReadStream } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import type { Handler } from '../../generated/handler.ts';
export const a: Handler<'getFile'> = async () => ({ status: 200, body: createReadStream('/file') });
export const b: Handler<'getFile'> = async () => ({ status: 200, body: new ReadableStream<Uint8Array>() });
export const c: Handler<'getFile'> = async () => ({ status: 200, body: (async function* () { yield 'text'; yield Buffer.from('x'); })() });
export const d: Handler<'getFile'> = async () => ({ status: 200, body: Buffer.from('whole') });
export const e: Handler<'getFile'> = async () => ({ status: 200, body: (async function* () { yield 1; })() }); // error: no bytes
export const f: Handler<'getText'> = async () => ({ status: 200, body: (async function* () { yield 'a,b'; })() });
export const g: Handler<'getJson'> = async () => ({ status: 200, body: (async function* () { yield 'a,b'; })() }); // error: JSON is written as a whole
export const h: Handler<'getLines'> = async () => ({ status: 200, body: (async function* () { yield { id: 1n }; })() });
export const i: Handler<'getLines'> = async () => ({ status: 200, body: (async function* () { yield { name: 'x' }; })() }); // error: no sale
export const j: Handler<'getList'> = async () => ({ status: 200, body: (async function* () { yield { id: 1n }; })() });
export const k: Handler<'getRaw'> = async () => ({ status: 200, body: (async function* () { yield 'data: 1'; yield { event: 'x', data: 'y', id: 1 }; })() });
export const l: Handler<'getRaw'> = async () => ({ status: 200, body: (async function* () { yield { data: 1 }; })() }); // error: the data is a text
export const m: Handler<'getData'> = async () => ({ status: 200, body: (async function* () { yield { event: 'sold', data: { id: 1n } }; })() });
export const n: Handler<'getData'> = async () => ({ status: 200, body: (async function* () { yield { id: 1n }; })() }); // error: the event has no data
export const o: Handler<'getEvents'> = async () => ({ status: 200, body: (async function* () { yield { event: 'sold' as const, data: { id: 1n }, id: '7' }; })() });
export const p: Handler<'getEvents'> = async () => ({ status: 200, body: (async function* () { yield { event: 'lost' as const, data: { id: 1n } }; })() }); // error: no such event
`;

test('a handler streams typed items where the media type can be streamed, and nowhere else', async () => {
  expect(complaintsOf(await generate(CONTRACT), HANDLERS)).toEqual(expectedOf(HANDLERS));
}, 120_000);

test('itemSchema of OpenAPI 3.2 types the items as well', async () => {
  const newer = CONTRACT.replaceAll(
    /schema: \{ type: array, items: (\{[^}]*\}) \}/g,
    (_whole, item: string) => `itemSchema: ${item}`,
  );
  expect(newer).toContain('itemSchema');
  expect(complaintsOf(await generate(newer, '3.2.0'), HANDLERS)).toEqual(expectedOf(HANDLERS));
}, 120_000);

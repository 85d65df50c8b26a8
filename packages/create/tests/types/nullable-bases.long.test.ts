import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /ranges:
    get: { operationId: getRange, responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Ext' } } } } } }
    put: { operationId: putRange, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Own' } } } }, responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Own' } } } } } }
    post: { operationId: addRange, responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Either' } } } } } }
    patch: { operationId: patchRange, responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Both' } } } } } }
components:
  schemas:
    Both: { allOf: [{ $ref: '#/components/schemas/Ext' }, { type: object, required: [end, own], properties: { own: { type: string } } }] }
    Base: { type: object, nullable: true, properties: { start: { type: string }, end: { type: string } } }
    Ext: { allOf: [{ $ref: '#/components/schemas/Base' }], required: [start] }
    Own: { type: object, allOf: [{ $ref: '#/components/schemas/Base' }], required: [start], properties: { more: { type: integer, format: int64 } } }
    Part: { oneOf: [{ $ref: '#/components/schemas/Base' }, { type: object, properties: { part: { type: number } } }], properties: { start: {} } }
    Either: { allOf: [{ $ref: '#/components/schemas/Part' }], required: [start] }
`;

/** Lines that must not compile have the comment `error`. */
const HANDLERS = `
import type { Handler } from '../../generated/handler.ts';
export const a: Handler<'getRange'> = async () => ({ status: 200, body: { start: 'now', end: 'then' } });
export const b: Handler<'getRange'> = async () => ({ status: 200, body: null });
export const c: Handler<'getRange'> = async () => ({ status: 200, body: { end: 'then' } }); // error: it has a start
export const d: Handler<'putRange'> = async () => ({ status: 200, body: { start: 'now', more: 1n } });
export const e: Handler<'putRange'> = async () => ({ status: 200, body: null }); // error: it is an object
export const f: Handler<'addRange'> = async () => ({ status: 200, body: { start: 'now', part: 1 } });
export const g: Handler<'putRange'> = async ({ body }) => ({ status: 200, body: { start: body?.start.trim() ?? '' } });
export const h: Handler<'putRange'> = async () => ({ status: 200, body: { start: undefined } }); // error: a start is a text
export const i: Handler<'patchRange'> = async () => ({ status: 200, body: { start: 'now', end: 'then', own: '' } });
export const j: Handler<'patchRange'> = async () => ({ status: 200, body: { start: 'now', own: '' } }); // error: another part requires an end
export const k: Handler<'patchRange'> = async () => ({ status: 200, body: { end: 'then', own: '' } }); // error: a base requires a start
`;

test('a nullable base whose members are required elsewhere compiles, with these members', async () => {
  const types = await generate(CONTRACT, '3.0.3');
  const expected = expectedOf(HANDLERS);
  expect(expected).toHaveLength(5);
  expect(complaintsOf(types, HANDLERS)).toEqual(expected);
}, 120_000);

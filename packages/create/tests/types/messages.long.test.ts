import { generatorFactory, messagesOf } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /things:
    get:
      operationId: getThing
      responses:
        '200': { description: Fine, headers: { ETag: { required: true, schema: { type: string } } }, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        '403': { $ref: '#/components/responses/None' }
        '404': { $ref: '#/components/responses/None' }
    delete: { operationId: deleteThing, responses: { '204': { description: Gone } } }
components:
  responses: { None: { description: None, content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } } }
  schemas:
    Thing: { type: object, required: [id, name], properties: { id: { type: integer, format: int64 }, name: { type: string } } }
    Error: { type: object, required: [message], properties: { message: { type: string } } }
`;

const HANDLERS = `
import type { Handler, Handlers, OperationReply } from '../../generated/handler.ts';
type Reply = Promise<OperationReply<'getThing'>>;
const headers = { ETag: 'x' };
const body = { id: 1n, name: 'x' };
export const a: Handler<'getThing'> = async () => ({ status: 418, headers, body });
export const b: Handler<'getThing'> = async () => ({ status: 200, body });
export const c = async (): Reply => ({ status: 418, headers, body });
export const d = async (): Reply => ({ status: 200, headers, body: { id: 1, name: 'x' } });
export const e = async (): Reply => ({ status: 200, body });
declare const deleteThing: Handler<'deleteThing'>;
declare const getThing: Handler<'getThing'>;
export const f: Handlers = { getThing };
export const g: Handlers = { getThing, deleteThing, other: deleteThing };
export const h: Handler<'getThing'> = async ({ url }) => {
  if (url === '/') return { status: 404, body: { message: url } };
  return { status: 201, headers, body };
};
export const i = async (): Reply => {
  const reply = await d();
  if (reply.status === 200) return { status: reply.body.id > 0n ? 403 : 404, body: { message: reply.body.name } };
  if (reply.status === 403) return { ...reply, headers: { ...reply.headers, 'X-Status': reply.status } };
  return { status: reply.status satisfies 404, body: reply.body };
};
`;

const REPLIES = 'OperationReply<Contract, "getThing">';

test('the first line of a message names the operation, its statuses, or the member that does not fit', async () => {
  expect(messagesOf(await generate(CONTRACT), HANDLERS)).toEqual([
    `Type 'Promise<{ status: 418; headers: { ETag: string; }; body: { id: bigint; name: string; }; }>' is not assignable to type 'Promise<${REPLIES}>'.`,
    `Type 'Promise<{ status: 200; body: { id: bigint; name: string; }; }>' is not assignable to type 'Promise<${REPLIES}>'.`,
    `Type '418' is not assignable to type '200 | 403 | DeclaredBy<Contract, "getThing", 404>'.`,
    "Type 'number' is not assignable to type 'bigint'.",
    `Type '{ status: 200; body: { id: bigint; name: string; }; }' is not assignable to type 'OperationReply<"getThing">'.`,
    `Property 'deleteThing' is missing in type '{ getThing: Handler<"getThing">; }' but required in type 'Handlers'.`,
    "Object literal may only specify known properties, and 'other' does not exist in type 'Handlers'.",
    expect.stringMatching(/\{ status: 201; .*\}>' is not assignable to type 'Handler<"getThing">'\.$/),
  ]);
}, 120_000);

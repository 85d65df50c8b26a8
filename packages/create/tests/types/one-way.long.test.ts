import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /accounts:
    post:
      operationId: createAccount
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
      responses:
        '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
components:
  schemas:
    Id: { type: integer, format: int64, readOnly: true }
    Account:
      type: object
      required: [id, name, secret, pin, pair, of]
      properties:
        id: { $ref: '#/components/schemas/Id' }
        name: { type: string }
        secret: { type: string, writeOnly: true }
        pin: { anyOf: [{ type: string, writeOnly: true }, { type: 'null' }] }
        rank: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'null' }] }
        limit: { type: integer, format: int64, default: 5 }
        hint: { type: string, writeOnly: true, default: none }
        pair: { type: array, prefixItems: [{ type: string }, { type: integer, format: int64 }] }
        of: { type: array, items: { type: object, required: [at], properties: { at: { type: string, readOnly: true }, by: { type: string } } } }
        parent: { $ref: '#/components/schemas/Account' }
        open: { type: object }
        hints: { type: array, items: { $ref: '#/components/schemas/Account/properties/hint' } }
        point: { $ref: '#/components/schemas/Point' }
    Point:
      type: [object, 'null']
      properties: { x: { type: integer, format: int64 }, y: { $ref: '#/components/schemas/Point/properties/x' } }
`;

/** Lines that must not compile are marked with `error`; all other lines must compile. */
const HANDLERS_TEXT = `
import type { Handler } from '../../generated/handler.ts';
const reply = { id: 1n, name: 'a', pair: ['a', 1n] satisfies [string, bigint], of: [{ at: 'now' }] };
export const whole: Handler<'createAccount'> = async ({ body }) => {
  const defaults: [bigint, string] = [body.limit, body.hint];
  const sent: [string, string, bigint] = [body.secret, ...body.pair];
  const inner: [string | undefined, bigint | undefined] = [body.of[0]?.by, body.parent?.limit];
  const pin: string | null = body.pin;
  const referred: [string[] | undefined, bigint | undefined] = [body.hints, body.point?.y];
  void body.id; // error: the id is the store's to give
  void body.rank; // error: and so is what may be null instead
  void body.of[0]?.at; // error: and so is this
  void body.parent?.id; // error: however deep
  return { status: 200, body: { ...reply, limit: defaults[0], name: [...sent, ...inner, pin, ...referred].join() } };
};
export const short: Handler<'createAccount'> = async () => ({ status: 200, body: reply });
export const wrong: Handler<'createAccount'> = async () => ({ status: 200, body: { ...reply, id: undefined } }); // error: a reply has an id
export const nested: Handler<'createAccount'> = async () => ({ status: 200, body: { ...reply, of: [{}] } }); // error: and this
`;

let types: string;
beforeAll(async () => {
  types = await generate(CONTRACT);
});

test('requests have defaults and nothing readOnly, replies nothing that they need not', () => {
  const expected = expectedOf(HANDLERS_TEXT);
  expect(expected).toHaveLength(6);
  expect(complaintsOf(types, HANDLERS_TEXT)).toEqual(expected);
}, 120_000);

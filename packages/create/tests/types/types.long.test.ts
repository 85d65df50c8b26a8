import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /things:
    post:
      operationId: createThing
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewThing' } } }
      responses:
        '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        '409': { description: Taken, content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
        '503':
          description: Busy
          headers: { Retry-After: { required: true, schema: { type: integer } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
    get:
      operationId: listThings
      responses:
        '200':
          description: Fine
          headers: { Link: { $ref: '#/components/headers/Link' } }
          content:
            application/json:
              schema:
                type: array
                items:
                  type: object
                  required: [thing, parts]
                  properties:
                    thing: { $ref: '#/components/schemas/Thing' }
                    parts: { type: array, items: { type: array, items: { type: string } } }
                    place: { type: array, prefixItems: [{ type: number }, { type: number }], items: false }
  /things/{id}:
    delete:
      operationId: deleteThing
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: Gone }, '409': { $ref: '#/components/responses/Kept' } }
components:
  responses:
    Kept: { $ref: '#/components/responses/Refused' }
    Refused: { description: Kept, content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  headers:
    Link: { schema: { type: string } }
  schemas:
    Thing:
      type: object
      required: [name]
      properties: { name: { type: string }, tag: { type: string } }
    NewThing:
      allOf:
        - $ref: '#/components/schemas/Thing'
        - type: object
          required: [id]
          properties: { id: { type: integer, format: int64 } }
    Error:
      type: object
      required: [error, message]
      properties: { error: { type: integer }, message: { type: string } }
`;

/** Lines that must not compile are marked with `error`; all other lines must compile. */
const HANDLERS = `
import type { Handler, Handlers } from '../../generated/handler.ts';
/** A whole handler compiles: declared statuses, bodies of their shape, an id that is a bigint. */
export const whole: Handler<'createThing'> = async ({ body }) => {
  const id: bigint = body.id;
  if (id < 0n) return { status: 409, body: { error: 40901, message: 'taken' } };
  return { status: 200, body: { name: body.name } };
};
declare const others: Omit<Handlers, 'createThing'>;
/** A map with every operation compiles. */
export const complete: Handlers = { ...others, createThing: whole };
export const missing: Handlers = { ...others }; // error: a missing handler
export const unknown: Handlers = { ...others, createThing: whole, createAnything: whole }; // error: a handler of no operation
export const undeclared: Handler<'createThing'> = async () => ({ status: 418, body: { error: 41801, message: 'teapot' } }); // error: a status that the operation does not declare
export const incomplete: Handler<'createThing'> = async () => ({ status: 200, body: { tag: 'shade' } }); // error: a body that lacks a required member
export const mixed: Handler<'createThing'> = async () => ({ status: 409, body: { name: 'Lamp' } }); // error: the body of another status
export const headless: Handler<'createThing'> = async () => ({ status: 503, body: { error: 50302, message: 'busy' } }); // error: a status without the header that it requires
export const withHeader: Handler<'createThing'> = async () => ({
  status: 503,
  headers: { 'Retry-After': 1, 'X-Other': 'too' },
  body: { error: 50302, message: 'busy' },
});
export const gone: Handler<'deleteThing'> = async () => ({ status: 204 });
export const kept: Handler<'deleteThing'> = async () => ({ status: 409, body: { error: 40901, message: 'kept' } });
export const keptEmpty: Handler<'deleteThing'> = async () => ({ status: 409 }); // error: no body where the component that is referred to has one
export const notGone: Handler<'deleteThing'> = async () => ({ status: 204, body: 'gone' }); // error: a body where the contract has none
export const empty: Handler<'createThing'> = async () => ({ status: 200 }); // error: no body where the contract has one
export const rounding: Handler<'createThing'> = async ({ body }) => {
  const id: number = body.id; // error: an int64 is no number
  return { status: 200, body: { name: String(id) } };
};
interface Row {
  readonly thing: { readonly name: string };
  readonly parts: readonly (readonly string[])[];
  readonly place: readonly [number, number];
}
declare const rows: readonly Row[];
declare const wrongRows: readonly (Omit<Row, 'parts'> & { readonly parts: readonly string[] })[];
/** Readonly lists and objects are accepted like mutable ones. */
export const readonlyList: Handler<'listThings'> = async () => ({ status: 200, body: rows });
export const constant: Handler<'listThings'> = async () => ({ status: 200, body: [{ thing: { name: 'Lamp' }, parts: [['foot']] }] as const });
export const mutable: Handler<'listThings'> = async () => ({ status: 200, body: [{ thing: { name: 'Lamp' }, parts: [['foot']] }] });
export const linked: Handler<'listThings'> = async () => ({ status: 200, headers: { Link: '</things>; rel="next"' }, body: [] });
export const misLinked: Handler<'listThings'> = async () => ({ status: 200, headers: { Link: 7 }, body: [] }); // error: a header of another type
export const otherItems: Handler<'listThings'> = async () => ({ status: 200, body: wrongRows }); // error: a list of other items
export type Misspelt = Handler<'createThingz'>; // error: an operation that the contract does not have
`;

let types: string;
beforeAll(async () => {
  types = await generate(CONTRACT);
});

test('whole handlers compile; a missing one, an undeclared status and a body of another shape do not', () => {
  const expected = expectedOf(HANDLERS);
  expect(expected).toHaveLength(13);
  expect(complaintsOf(types, HANDLERS)).toEqual(expected);
}, 120_000);

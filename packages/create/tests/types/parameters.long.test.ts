import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - { name: limit, in: query, schema: { type: integer, format: int64, default: 5 } }
        - { name: sort, in: query, schema: { $ref: '#/components/schemas/Sort' } }
        - { name: tag, in: query, schema: { type: string } }
        - { name: where, in: query, content: { application/json: { schema: { $ref: '#/components/schemas/Where' } } } }
        - { name: near, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Where' } }
        - { name: era, in: query, schema: { type: integer, format: int64, enum: [5, 9007199254740993] } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: X-Wait, in: header, schema: { type: number, default: 1 } }
        - $ref: '#/components/parameters/Page'
      responses:
        '200': { description: Fine, headers: { X-Where: { schema: { $ref: '#/components/schemas/Where' } } } }
components:
  parameters:
    Page: { name: page, in: query, schema: { type: integer, default: 1 } }
  schemas:
    Sort: { type: string, enum: [up, down], default: up }
    Where: { type: object, properties: { depth: { type: integer, format: int64, default: 3 }, at: { type: string, readOnly: true } } }
`;

/** Lines that must not compile are marked with `error`; all other lines must compile. */
const HANDLERS_TEXT = `
import type { Handler } from '../../generated/handler.ts';
export const whole: Handler<'listThings'> = async ({ query, header }) => {
  const defaults: [bigint, 'up' | 'down', number, number] = [query.limit, query.sort, query.page, header['X-Wait']];
  const inner: (bigint | undefined)[] = [query.where?.depth, query.near?.depth];
  const era: bigint | undefined = query.era;
  const tag: string = query.tag; // error: it is optional
  const depth: bigint = query.near.depth; // error: nor this
  const text: string = query.where; // error: it is parsed
  void query.near?.at; // error: a request has none
  void header['Accept']; // error: it is no parameter, whatever is declared
  void [defaults, inner, era, tag, depth, text];
  return { status: 200, headers: { 'X-Where': { depth: 4n, at: 'home' } }, body: undefined };
};
`;

let types: string;
beforeAll(async () => {
  types = await generate(CONTRACT);
});

test('parameters are typed as handlers get them: there where they have a default, parsed, nothing readOnly', () => {
  const expected = expectedOf(HANDLERS_TEXT);
  expect(expected).toHaveLength(5);
  expect(complaintsOf(types, HANDLERS_TEXT)).toEqual(expected);
}, 120_000);

import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /animals:
    get:
      operationId: listAnimals
      responses:
        '200': { description: Fine, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Animal' } } } } }
    post:
      operationId: addAnimal
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Animal' } } } }
      responses:
        '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Kept' } } } }
  /machines:
    get:
      operationId: findMachine
      responses:
        '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Machine' } } } }
components:
  schemas:
    Animal:
      type: object
      required: [type]
      properties: { type: { type: string }, id: { type: integer, format: int64 } }
      discriminator: { propertyName: type, mapping: { fish: Fish } }
    Fish:
      allOf:
        - $ref: '#/components/schemas/Animal'
        - { type: object, required: [fins], properties: { fins: { type: integer, format: int64 }, friend: { $ref: '#/components/schemas/Animal' } } }
    Bird: { $ref: '#/components/schemas/Animal', properties: { wings: { type: integer } } }
    Eagle: { allOf: [{ $ref: '#/components/schemas/Bird' }, { type: object, properties: { prey: { type: string } } }] }
    Beast: { $ref: '#/components/schemas/Animal' }
    Kept: { type: object, required: [kept], properties: { kept: { allOf: [{ $ref: '#/components/schemas/Beast' }], description: It. } } }
    Machine:
      type: object
      required: [made]
      properties: { made: { type: string, enum: [Car, Boat] } }
      discriminator: { propertyName: made }
    Car: { allOf: [{ $ref: '#/components/schemas/Machine' }, { type: object, required: [wheels], properties: { wheels: { type: integer } } }] }
    Boat: { allOf: [{ $ref: '#/components/schemas/Machine' }, { type: object, required: [sails], properties: { sails: { type: integer } } }] }
`;

const HANDLERS = `
import type { Handler, OperationReply } from '../../generated/handler.ts';
export const listAnimals: Handler<'listAnimals'> = async (): Promise<OperationReply<'listAnimals'>> => ({
  status: 200,
  body: [
    { type: 'fish', id: 1n, fins: 3n, friend: { type: 'Eagle', prey: 'fish', wings: 2 } },
    { type: 'Bird', wings: 2 },
    { type: 'dragon', id: 7n },
  ],
});
export const addAnimal: Handler<'addAnimal'> = async ({ body }): Promise<OperationReply<'addAnimal'>> => {
  if ('fins' in body) {
    const fins: bigint = body.fins;
    return { status: 200, body: { kept: { ...body, fins: fins + 1n } } };
  }
  const wings: number = body.wings; // error: it may be no bird
  return { status: 200, body: { kept: { type: 'Bird', wings, feet: 2 } } }; // error: nothing declares feet
};
export const findMachine: Handler<'findMachine'> = async (): Promise<OperationReply<'findMachine'>> => {
  if (Math.random() < 0.5) return { status: 200, body: { made: 'Car', sails: 2 } }; // error: a car has wheels
  return { status: 200, body: { made: 'Boat', sails: 2 } };
};
`;

test('handlers get and give values of the subtypes where the contract declares the base', async () => {
  const types = await generate(CONTRACT);
  const expected = expectedOf(HANDLERS);
  expect(expected).toHaveLength(3);
  expect(complaintsOf(types, HANDLERS)).toEqual(expected);
}, 120_000);

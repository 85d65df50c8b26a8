import { jest } from '@jest/globals';
import { valueChecks } from '../values-service.ts';

// Each test sends some hundred requests, which take long on a busy machine.
jest.setTimeout(60_000);

const check = valueChecks();

const THING = [
  '{ type: object, required: [name],',
  'properties: { name: { type: string, examples: [Fern] }, size: { type: integer, default: 7 } },',
  'example: { name: Moss, size: 3 } }',
].join(' ');

const nameIn = (body: string): unknown => Object(JSON.parse(body)).name;
const sizeIn = (body: string): unknown => Object(JSON.parse(body)).size;
const isThing = (body: string): boolean =>
  typeof nameIn(body) === 'string' && (sizeIn(body) === undefined || Number.isInteger(sizeIn(body)));

test('a service that takes the examples of its contract keeps it', async () => {
  const bodies: string[] = [];
  const takes = (body: string) => {
    bodies.push(body);
    return isThing(body);
  };
  expect((await check(THING, { takes })).failures).toBe(0);
  expect(bodies[0]).toBe('{"name":"Moss","size":3}');
});

test.each([
  ['the example of a schema', (body: string) => nameIn(body) !== 'Moss', 'example 1 of body'],
  ['the example of a member', (body: string) => nameIn(body) !== 'Fern', 'example 1 of body.name'],
  ['the default of a member', (body: string) => sizeIn(body) !== 7, 'example 1 of body.size'],
])('a service that refuses %s is caught', async (_, takes, told) => {
  const { text } = await check(THING, { takes: (body) => isThing(body) && takes(body) });
  expect(text).toContain(`sendValue: ${told}: a valid request was refused with 400`);
});

test('an example may show a member that only replies have', async () => {
  const schema =
    '{ type: object, properties: { id: { type: integer, readOnly: true } }, example: { id: 1 }, additionalProperties: false }';
  const takes = (body: string) => body === '{}';
  const { text } = await check(schema, { takes });
  expect(text).not.toContain('does not fit');
});

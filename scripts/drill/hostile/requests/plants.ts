import fc from 'fast-check';
import { type NewPlant, toPlant } from '../../../../src/plants/plant.ts';
import { CREATED, type Draft } from './request.ts';

/** Text that careless code breaks on: quotes, escapes, controls, right-to-left, astral, markup, requests. */
const PIECES = [
  ...'a "\\/\n\t\u0001\u001f\u007f\u0085é\u200f\u2028\ufeff\ufffd\uffff🌱\u{10ffff}',
  'Fern',
  '\\u0000',
  '\r\n\r\n',
  'e\u0301',
  '👨‍👩‍👧',
  "'; DROP TABLE plants; --",
  '<script>',
  '$(id) `id`',
  '%00%s%n',
  '__proto__',
  'HTTP/1.1 200 OK\r\n\r\n',
  'POST /plants HTTP/1.1\r\nHost: inner\r\nContent-Length: 0\r\n\r\n',
];

/** Well-formed text without U+0000. The service must store it exactly. */
export const texts: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 6 })
  .map((pieces) => pieces.join(''));

/** Valid plants with ids from a range. */
export const plantsWith = (ids: fc.Arbitrary<bigint>): fc.Arbitrary<NewPlant> =>
  fc.record({ id: ids, name: texts, tag: texts }, { requiredKeys: ['id', 'name'], noNullPrototype: true });

/** Valid plants. Two of them rarely have the same id. */
export const plants: fc.Arbitrary<NewPlant> = plantsWith(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(BigInt),
);

/** The members of a plant, each with its value as JSON text. */
export const membersOf = ({ id, name, tag }: NewPlant): (readonly [name: string, text: string])[] => [
  ['id', `${id}`],
  ['name', JSON.stringify(name)],
  ...(tag === undefined ? [] : [['tag', JSON.stringify(tag)] as const]),
];

/** Writes an object whose values are JSON text already, valid or not. */
export const writeObject = (members: readonly (readonly [name: string, text: string])[]): string =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

/** Writes a plant as JSON text, with one member replaced or added. */
export const writePlantWith = (plant: NewPlant, name: string, text: string): string =>
  writeObject([...membersOf(plant).filter(([each]) => each !== name), [name, text]]);

/** A body that creates a plant. It is the plant as JSON text unless another text is given. */
export const create = (plant: NewPlant, text = writeObject(membersOf(plant))): Draft => ({
  body: Buffer.from(text),
  expects: CREATED,
  plant: toPlant(plant),
});

/** Valid plants as request bodies. */
export const validBodies: fc.Arbitrary<Draft> = fc
  .tuple(plants, fc.constantFrom('', ' ', '\r\n\t'))
  .map(([plant, space]) => create(plant, space + writeObject(membersOf(plant)) + space));

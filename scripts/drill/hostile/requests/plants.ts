import fc from 'fast-check';
import { type NewPlant, toPlant } from '../../../../src/plants/plant.ts';
import { CREATED, type Draft } from './request.ts';

/** Text that careless code breaks on: quotes, escapes, controls, right-to-left, astral, markup, requests. */
const PIECES = [
  'a',
  'Fern',
  ' ',
  '"',
  '\\',
  '\\u0000',
  '/',
  '\n',
  '\r\n\r\n',
  '\t',
  '\u0001',
  '\u001f',
  '\u007f',
  '\u0085',
  'é',
  'e\u0301',
  '\u200f',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '🌱',
  '👨‍👩‍👧',
  '\u{10ffff}',
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

const namesAndTags = fc.record(
  { name: texts, tag: texts },
  { requiredKeys: ['name'], noNullPrototype: true },
);

/** Valid plants with ids from a range. */
export const plantsWith = (ids: fc.Arbitrary<bigint>): fc.Arbitrary<NewPlant> =>
  fc.tuple(ids, namesAndTags).map(([id, plant]) => ({ id, ...plant }));

/** Valid plants. Two of them rarely have the same id. */
export const plants: fc.Arbitrary<NewPlant> = plantsWith(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(BigInt),
);

/** The members of a plant as JSON text, ready to be combined in other ways. */
export const membersOf = ({ id, name, tag }: NewPlant): Record<string, string> => ({
  id: `${id}`,
  name: JSON.stringify(name),
  ...(tag !== undefined && { tag: JSON.stringify(tag) }),
});

/** Writes an object whose values are JSON text already, valid or not. */
export const writeObject = (members: Iterable<readonly [name: string, text: string]>): string =>
  `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

/** A plant as JSON text. */
export const writePlant = (plant: NewPlant): string => writeObject(Object.entries(membersOf(plant)));

/** Valid plants as request bodies. */
export const validBodies: fc.Arbitrary<Draft> = fc
  .tuple(plants, fc.constantFrom('', ' ', '\r\n\t'))
  .map(([plant, space]) => ({
    body: Buffer.from(space + writePlant(plant) + space),
    expects: CREATED,
    plant: toPlant(plant),
  }));

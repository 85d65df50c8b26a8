import { toPlant } from '../../../src/plants/plant.ts';
import { CREATED, type HostileBody, type MakeBody, type Outcome } from './case.ts';
import { makePlant, makeText, membersOf, writeObject, writePlant } from './plants.ts';
import type { Some } from './random.ts';

/** A body of JSON text. */
export const asBody = (text: string, expects: readonly Outcome[]): HostileBody => ({
  bytes: Buffer.from(text),
  expects,
});

/** A body that the schema does not accept. */
export const refused = (text: string): HostileBody => asBody(text, ['schemaMismatch']);

/** A plant that is as it should be. */
export const makeValid: MakeBody = (random) => {
  const plant = makePlant(random);
  const space = random.pick(['', ' ', '\r\n\t']);
  return { ...asBody(space + writePlant(plant) + space, CREATED), plant: toPlant(plant) };
};

const NO_TEXT: Some<string> = ['null', 'true', 'false', '0', '-1.5', '[]', '["a"]', '{}', '{"name":"a"}'];
const NO_INT64: Some<string> = [
  'null',
  'true',
  '""',
  '"1"',
  '[]',
  '[1]',
  '{}',
  '1.5',
  '-0.1',
  '1e-1',
  '1e-400',
  '9223372036854775808',
  '-9223372036854775809',
  '9223372036854775807.5',
  '18446744073709551616',
  '1e19',
  '1e308',
  '1e400',
  '-1e400',
  '1e999999999999',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
];

/** A member of another type, or outside int64. */
export const makeWrongType: MakeBody = (random) => {
  const name = random.pick(['id', 'name', 'tag']);
  const value = random.pick(name === 'id' ? NO_INT64 : NO_TEXT);
  return refused(writeObject(Object.entries({ ...membersOf(makePlant(random)), [name]: value })));
};

const INT64: Some<string> = [
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740993',
  '9.223372036854775807e18',
  '-9223372036854775808.000',
  '41.0',
  '1e3',
  '1.5E+1',
  '10e-1',
  '-0',
  '0e999999999999',
  `7.${'0'.repeat(300)}`,
];

/** An int64 in another writing, or at the edge. */
export const makeOddInteger: MakeBody = (random) => {
  // Mostly the same plant again: its digits must lead to the same id every time.
  const name = random.chance(0.8) ? 'Odd' : makeText(random);
  const text = writeObject([
    ['id', random.pick(INT64)],
    ['name', JSON.stringify(name)],
  ]);
  return { ...asBody(text, CREATED), plant: { name } };
};

import type { NewPlant } from '../../../src/plants/plant.ts';
import type { Random, Some } from './random.ts';

/** Pieces that break what is careless with text: quotes, escapes, controls, right-to-left, astral, markup, requests. */
const PIECES: Some<string> = [
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

/** Text that is well-formed and holds no U+0000: every bit of it must survive. */
export const makeText = (random: Random): string =>
  Array.from({ length: random.between(0, 6) }, () => random.pick(PIECES)).join('');

/** A plant that must be served, under an id that is rarely taken. */
export const makePlant = (random: Random): NewPlant => {
  const plant = { id: BigInt(random.below(2 ** 32)) - 2n ** 31n, name: makeText(random) };
  return random.chance(0.5) ? { ...plant, tag: makeText(random) } : plant;
};

/** The members of a plant as JSON text, to be put together again in any way. */
export const membersOf = ({ id, name, tag }: NewPlant): Record<string, string> => ({
  id: `${id}`,
  name: JSON.stringify(name),
  ...(tag !== undefined && { tag: JSON.stringify(tag) }),
});

/** An object of members that are JSON text already, right or wrong. */
export const writeObject = (members: Iterable<readonly [name: string, text: string]>): string =>
  `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

/** A plant as JSON text. */
export const writePlant = (plant: NewPlant): string => writeObject(Object.entries(membersOf(plant)));

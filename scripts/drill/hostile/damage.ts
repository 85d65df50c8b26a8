import { GOOD_FIELDS, LINE, writeFramed } from './case.ts';
import type { MakeBroken } from './framing.ts';
import { makeValid } from './members.ts';
import type { Random, Some } from './random.ts';

const makeGood = (random: Random): Buffer =>
  writeFramed(random, { line: LINE, fields: GOOD_FIELDS, body: makeValid(random).bytes });

/** Bytes that mean something to a parser. */
const PIECES: Some<string> = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\0',
  ':',
  ' ',
  '\t',
  ',',
  ';',
  '{',
  '}',
  '"',
  '\\',
  '0',
  '\u00ff',
];

type Damage = (random: Random, bytes: Buffer, at: number) => Buffer;

const splice = (bytes: Buffer, start: number, end: number, ...pieces: Buffer[]): Buffer =>
  Buffer.concat([bytes.subarray(0, start), ...pieces, bytes.subarray(end)]);

const flip: Damage = (random, bytes, at) =>
  splice(bytes, at, at + 1, Buffer.of((bytes[at] ?? 0) ^ (1 << random.below(8))));
const replace: Damage = (random, bytes, at) => splice(bytes, at, at + 1, random.bytes(1));
const insert: Damage = (random, bytes, at) =>
  splice(bytes, at, at, Buffer.from(random.pick(PIECES), 'latin1'));
const insertNoise: Damage = (random, bytes, at) => splice(bytes, at, at, random.bytes(random.between(1, 40)));
const remove: Damage = (random, bytes, at) => splice(bytes, at, at + random.between(1, 16));
const repeat: Damage = (random, bytes, at) =>
  splice(bytes, at, at, bytes.subarray(at, at + random.between(1, 64)));
const swap: Damage = (random, bytes, at) => {
  const other = makeGood(random);
  return splice(bytes, at, bytes.length, other.subarray(random.below(other.length)));
};

const DAMAGES: Some<Damage> = [flip, flip, replace, insert, insertNoise, remove, repeat, swap];

/** A good request with a few bytes flipped, put in, taken out, repeated or swapped for those of another. */
export const makeDamaged: MakeBroken = (random) => {
  let bytes = makeGood(random);
  for (let times = random.between(1, 4); times > 0; times -= 1)
    bytes = random.pick(DAMAGES)(random, bytes, random.below(bytes.length));
  return { bytes, expects: [] };
};

/** A good request that stops anywhere before its end. */
export const makeTruncated: MakeBroken = (random) => {
  const good = makeGood(random);
  return { bytes: good.subarray(0, random.between(1, good.length - 1)), expects: ['malformedHttp'] };
};

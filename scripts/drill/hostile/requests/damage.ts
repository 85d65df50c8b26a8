import fc from 'fast-check';
import { validBodies } from './plants.ts';
import { fractions, framed, type Requests } from './request.ts';

const goodRequests = framed(validBodies).map(({ bytes }) => bytes);

/** Bytes that have a meaning to a parser. */
const PIECES = [
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

const splice = (bytes: Buffer, start: number, end: number, piece: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, start), piece, bytes.subarray(end)]);

const NOTHING = Buffer.alloc(0);
const upTo = (max: number) => fc.integer({ min: 1, max });

/** Changes bytes at a place. */
type Damage = (bytes: Buffer, at: number) => Buffer;

const damages: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.nat(7).map(
      (bit): Damage =>
        (bytes, at) =>
          splice(bytes, at, at + 1, Buffer.of((bytes[at] ?? 0) ^ (1 << bit))),
    ),
  },
  fc.nat(255).map(
    (byte): Damage =>
      (bytes, at) =>
        splice(bytes, at, at + 1, Buffer.of(byte)),
  ),
  fc.constantFrom(...PIECES).map(
    (piece): Damage =>
      (bytes, at) =>
        splice(bytes, at, at, Buffer.from(piece, 'latin1')),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map(
    (noise): Damage =>
      (bytes, at) =>
        splice(bytes, at, at, noise),
  ),
  upTo(16).map(
    (count): Damage =>
      (bytes, at) =>
        splice(bytes, at, at + count, NOTHING),
  ),
  upTo(64).map(
    (count): Damage =>
      (bytes, at) =>
        splice(bytes, at, at, bytes.subarray(at, at + count)),
  ),
  fc.tuple(goodRequests, fractions).map(
    ([other, from]): Damage =>
      (bytes, at) =>
        splice(bytes, at, bytes.length, other.subarray(Math.floor(from * other.length))),
  ),
);

/** Valid requests with some bytes flipped, replaced, inserted, removed, repeated, or swapped for another request's. */
export const damaged: Requests = fc
  .tuple(goodRequests, fc.array(fc.tuple(damages, fractions), { minLength: 1, maxLength: 4 }))
  .map(([good, changes]) => ({
    bytes: changes.reduce((bytes, [damage, place]) => damage(bytes, Math.floor(place * bytes.length)), good),
    expects: [],
  }));

/** Valid requests that stop before their end. */
export const truncated: Requests = fc.tuple(goodRequests, fractions).map(([good, end]) => ({
  bytes: good.subarray(0, 1 + Math.floor(end * (good.length - 1))),
  expects: ['malformedHttp'],
}));

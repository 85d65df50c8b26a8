import fc from 'fast-check';
import { validBodies } from './plants.ts';
import { changes, fractions, framed, type Requests } from './request.ts';

const goodRequests = framed(validBodies).map(({ bytes }) => bytes);

/** Bytes that have a meaning to a parser. */
const PIECES = ['\r\n', '\r\n\r\n', ...'\r\n\0: \t,;{}"\\0\u00ff'];

/** Replaces some bytes at a place by others. */
const splice = (bytes: Buffer, at: number, count: number, piece: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + count)]);

/** Damage by a generated value at any place. */
const damageBy = <T>(values: fc.Arbitrary<T>, damage: (bytes: Buffer, at: number, value: T) => Buffer) =>
  changes(fc.tuple(values, fractions), (bytes, [value, place]) =>
    damage(bytes, Math.floor(place * bytes.length), value),
  );

const upTo = (max: number) => fc.integer({ min: 1, max });
const flipped = damageBy(fc.nat(7), (bytes, at, bit) =>
  splice(bytes, at, 1, Buffer.of((bytes[at] ?? 0) ^ (1 << bit))),
);

const damages = fc.oneof(
  { weight: 2, arbitrary: flipped },
  damageBy(fc.nat(255), (bytes, at, byte) => splice(bytes, at, 1, Buffer.of(byte))),
  damageBy(fc.constantFrom(...PIECES), (bytes, at, piece) =>
    splice(bytes, at, 0, Buffer.from(piece, 'latin1')),
  ),
  damageBy(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes, at, noise) => splice(bytes, at, 0, noise)),
  damageBy(upTo(16), (bytes, at, count) => splice(bytes, at, count)),
  damageBy(upTo(64), (bytes, at, count) => splice(bytes, at, 0, bytes.subarray(at, at + count))),
  damageBy(fc.tuple(goodRequests, fractions), (bytes, at, [other, from]) =>
    splice(bytes, at, bytes.length, other.subarray(Math.floor(from * other.length))),
  ),
);

/** Valid requests with some bytes flipped, replaced, inserted, removed, repeated, or swapped for another request's. */
const damaged: Requests = fc
  .tuple(goodRequests, fc.array(damages, { minLength: 1, maxLength: 4 }))
  .map(([good, all]) => ({ bytes: all.reduce((bytes, damage) => damage(bytes), good), expects: [] }));

/** Valid requests that stop before their end. */
const truncated: Requests = fc.tuple(goodRequests, fractions).map(([good, end]) => ({
  bytes: good.subarray(0, 1 + Math.floor(end * (good.length - 1))),
  expects: ['malformedHttp'],
}));

/** Valid requests with damage at the level of bytes. */
export const DAMAGE = { 'broken: bytes': damaged, 'broken: truncated': truncated };

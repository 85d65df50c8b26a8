import fc from 'fast-check';
import type { Outcome } from '../outcome.ts';
import { validBodies } from './plants.ts';
import {
  CHUNKED,
  chunkings,
  fractions,
  GOOD_FIELDS,
  lengthOf,
  mostly,
  type Requests,
  writeRequest,
} from './request.ts';

const MALFORMED: readonly Outcome[] = ['malformedHttp'];

const post = (body: Buffer, ...fields: string[]): Buffer =>
  writeRequest({ fields: [...GOOD_FIELDS, ...fields], body });

/** A request that two servers could read in two ways must be refused (RFC 9112, section 6). `#` is the true length. */
const LENGTHS: readonly (readonly [expects: readonly Outcome[], ...fields: string[]])[] = [
  [MALFORMED, 'Content-Length: #', CHUNKED],
  [MALFORMED, CHUNKED, 'Content-Length: #'],
  [MALFORMED, 'Content-Length: #', 'Content-Length: 1#'],
  [MALFORMED, 'Content-Length: #', 'Content-Length: #'],
  [MALFORMED, 'Content-Length: #, #'],
  [MALFORMED, 'Content-Length: -#'],
  [MALFORMED, 'Content-Length: +#'],
  [MALFORMED, 'Content-Length: 0x#'],
  [MALFORMED, 'Content-Length: #.0'],
  [MALFORMED, 'Content-Length: ten'],
  [MALFORMED, 'Content-Length:'],
  [MALFORMED, 'Content-Length: 99999999999999999999999'],
  [MALFORMED, 'Content-Length : #'],
  [['malformedHttp', 'bodyTooLarge'], 'Content-Length: 9007199254740993'],
  [['malformedHttp', 'bodyTooLarge'], 'Content-Length: 1#'],
  [[], 'Content-Length: 0'],
  [[], 'Content-Length: 5'],
  [[], 'Content-Length: 00#'],
  [[], ' Content-Length: #'],
  [[], 'X: y', 'Content-Length\t: #'],
  [MALFORMED, 'Transfer-Encoding: gzip'],
  [MALFORMED, 'Transfer-Encoding: identity'],
  [MALFORMED, 'Transfer-Encoding: xchunked'],
  [MALFORMED, 'Transfer-Encoding: chunked, gzip'],
  [[], 'Transfer-Encoding:'],
  [[], 'Transfer-Encoding: chunked, chunked'],
  [[], 'Transfer-Encoding: gzip, chunked'],
  [[], 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
  [[], 'Transfer-Encoding: \tCHUNKED'],
  [[], 'Transfer-Encoding: "chunked"'],
  [[], 'Transfer-Encoding: chunked;q=1'],
];

/** Contradictory or invalid statements of where the body ends. */
export const lengths: Requests = fc
  .tuple(validBodies, fc.option(chunkings, { freq: 2 }), fc.constantFrom(...LENGTHS))
  .map(([draft, writeChunks, [expects, ...fields]]) => {
    const body = writeChunks ? writeChunks(draft.body) : draft.body;
    return { bytes: post(body, ...fields.map((field) => field.replaceAll('#', `${body.length}`))), expects };
  });

const CHUNKS: readonly (readonly [expects: readonly Outcome[], chunks: string])[] = [
  [MALFORMED, 'zz\r\n'],
  [MALFORMED, '-2\r\n{}\r\n'],
  [MALFORMED, '+2\r\n{}\r\n'],
  [MALFORMED, '0x2\r\n{}\r\n'],
  [MALFORMED, '\r\n{}\r\n'],
  [MALFORMED, '1\r\n{}\r\n'],
  [MALFORMED, 'fffffffffffffffffffff\r\n{}'],
  [[], 'ffffffffffffffff\r\n{}'],
  [[], '7fffffff\r\n{}'],
  [[], '2\n{}\n0\n\n'],
  [[], '2\r\n{}\r0\r\n\r\n'],
  [[], ' 2\r\n{}\r\n'],
  [[], '2 \r\n{}\r\n0\r\n\r\n'],
  [[], '2;a=b;c="d\r\n'],
  [[], '2;\0\r\n{}\r\n'],
  [['bodyTooLarge'], `2;${'a'.repeat(17_000)}\r\n`],
  [[], '2\r\n{}\r\n0\r\nA: b\r\n\r\n'],
  [[], '2\r\n{}\r\n0\r\nContent-Length: 5\r\nAuthorization: Bearer x\r\n\r\n'],
  [[], '2\r\n{}\r\n0\r\nno colon\r\n\r\n'],
  [['headersTooLarge'], `0\r\n${'A: bcdefghijklmnop\r\n'.repeat(2000)}\r\n`],
  [[], '00000000000000000000000000000002\r\n{}\r\n0\r\n\r\n'],
  [[], '1\r\n{\r\n'.repeat(300)],
];

/** Invalid or unusual chunks. */
export const chunks: Requests = fc
  .tuple(mostly('', 2, fc.constant('3\r\n{ \n\r\n')), fc.constantFrom(...CHUNKS))
  .map(([start, [expects, rest]]) => ({ bytes: post(Buffer.from(start + rest), CHUNKED), expects }));

const noise = fc.uint8Array({ minLength: 1, maxLength: 200 });

type Follow = (good: Buffer) => Buffer;

/** What follows a valid request. */
const followers: fc.Arbitrary<Follow> = fc.oneof(
  fc.integer({ min: 1, max: 50 }).map((lines) => () => Buffer.from('\r\n'.repeat(lines))),
  fc.constant(() => Buffer.from('garbage\r\n\r\n')),
  noise.map((bytes) => () => Buffer.from(bytes)),
  fractions.map(
    (end): Follow =>
      (good) =>
        good.subarray(0, Math.floor(end * good.length)),
  ),
  fc.integer({ min: 1, max: 6 }).map(
    (copies): Follow =>
      (good) =>
        Buffer.concat(Array<Buffer>(copies).fill(good)),
  ),
  fc.constant(() => Buffer.from('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')),
);

/** A valid request, and then bytes that are not one, or more of the same. */
export const followed: Requests = fc
  .tuple(validBodies, mostly([], 2, fc.constant(['Connection: close'])), followers)
  .map(([{ body }, closing, follow]) => {
    const good = post(body, lengthOf(body), ...closing);
    return { bytes: Buffer.concat([good, follow(good)]), expects: [] };
  });

import { type Case, GOOD_FIELDS, LINE, lengthOf, type Outcome, writeChunks, writeRequest } from './case.ts';
import { makeValid } from './members.ts';
import type { Random, Some } from './random.ts';

/** Makes a request that may be broken in any way: nothing is sent after it on its connection. */
export type MakeBroken = (random: Random) => Omit<Case, 'kind'>;

const CHUNKED = 'Transfer-Encoding: chunked';
const MALFORMED: readonly Outcome[] = ['malformedHttp'];

const post = (body: Buffer, ...fields: string[]): Buffer =>
  writeRequest({ line: LINE, fields: [...GOOD_FIELDS, ...fields], body });

type Fields = readonly [expects: readonly Outcome[], ...fields: string[]];

/** What two servers could read in two ways must be refused (RFC 9112, section 6); `#` stands for the true length. */
const LENGTHS: Some<Fields> = [
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
  [['bodyTooLarge'], 'Content-Length: 9007199254740993'],
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

/** Games with what says where a body ends. */
export const makeLengths: MakeBroken = (random) => {
  const [expects, ...fields] = random.pick(LENGTHS);
  const plain = makeValid(random).bytes;
  const body = random.chance(0.5) ? plain : writeChunks(random, plain);
  return { bytes: post(body, ...fields.map((field) => field.replaceAll('#', `${body.length}`))), expects };
};

const CHUNKS: Some<readonly [expects: readonly Outcome[], ...chunks: string[]]> = [
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

/** Games with the chunks of a body. */
export const makeChunks: MakeBroken = (random) => {
  const [expects, ...chunks] = random.pick(CHUNKS);
  const before = random.chance(0.3) ? '3\r\n{ \n\r\n' : '';
  return { bytes: post(Buffer.from(before + chunks.join('')), CHUNKED), expects };
};

/** A whole request, and then something that is none. */
export const makeFollowed: MakeBroken = (random) => {
  const { bytes: body } = makeValid(random);
  const good = post(body, lengthOf(body), ...(random.chance(0.3) ? ['Connection: close'] : []));
  const rest = random.pick([
    () => Buffer.from('\r\n'.repeat(random.between(1, 50))),
    () => Buffer.from('garbage\r\n\r\n'),
    () => random.bytes(random.between(1, 200)),
    () => good.subarray(0, random.below(good.length)),
    () => Buffer.concat(Array.from({ length: random.between(1, 6) }, () => good)),
    () => Buffer.from('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'),
  ])();
  return { bytes: Buffer.concat([good, rest]), expects: [] };
};

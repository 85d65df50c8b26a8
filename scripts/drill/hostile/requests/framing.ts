import fc from 'fast-check';
import { CHUNKED, GOOD_FIELDS, lengthOf, writeRequest } from '../../wire.ts';
import type { Outcome } from '../outcome.ts';
import { validBodies } from './plants.ts';
import { changes, chunkings, fractions, mostly, type Requests } from './request.ts';

const post = (body: Buffer, ...fields: string[]): Buffer =>
  writeRequest('POST /plants HTTP/1.1', [...GOOD_FIELDS, ...fields], body);

/** Texts, and the only right outcomes. If there are none, any well-formed reply will do. */
type Cases = readonly (readonly [text: string, ...expects: Outcome[]])[];

const allOf = (texts: readonly string[], ...expects: Outcome[]): Cases =>
  texts.map((text) => [text, ...expects]);

/** A request that two servers could read in two ways must be refused (RFC 9112, section 6). `#` is the true length. */
const LENGTHS: Cases = [
  ...allOf(
    [
      `Content-Length: #\r\n${CHUNKED}`,
      `${CHUNKED}\r\nContent-Length: #`,
      'Content-Length: #\r\nContent-Length: 1#',
      'Content-Length: #\r\nContent-Length: #',
      'Content-Length : #',
      'Content-Length: #, #',
      'Transfer-Encoding: chunked, gzip',
      ...'-# +# 0x# #.0 ten 99999999999999999999999'.split(' ').map((length) => `Content-Length: ${length}`),
      ...['gzip', 'identity', 'xchunked'].map((coding) => `Transfer-Encoding: ${coding}`),
      'Content-Length:',
    ],
    'malformedHttp',
  ),
  ['Content-Length: 9007199254740993', 'malformedHttp', 'bodyTooLarge'],
  ['Content-Length: 1#', 'malformedHttp', 'bodyTooLarge'],
  ...allOf([
    ...['0', '5', '00#'].map((length) => `Content-Length: ${length}`),
    ' Content-Length: #',
    'X: y\r\nContent-Length\t: #',
    ...['', 'chunked, chunked', 'gzip, chunked', '\tCHUNKED', '"chunked"', 'chunked;q=1'].map(
      (coding) => `Transfer-Encoding: ${coding}`,
    ),
    `${CHUNKED}\r\n${CHUNKED}`,
  ]),
];

/** Contradictory or invalid statements of where the body ends. */
const lengths: Requests = fc
  .tuple(validBodies, fc.option(chunkings, { freq: 2 }), fc.constantFrom(...LENGTHS))
  .map(([draft, writeChunks, [fields, ...expects]]) => {
    const body = writeChunks ? writeChunks(draft.body) : draft.body;
    return { bytes: post(body, fields.replaceAll('#', `${body.length}`)), expects };
  });

const CHUNKS: Cases = [
  ...allOf(
    [
      'zz\r\n',
      '-2\r\n{}\r\n',
      '+2\r\n{}\r\n',
      '0x2\r\n{}\r\n',
      '\r\n{}\r\n',
      '1\r\n{}\r\n',
      'fffffffffffffffffffff\r\n{}',
    ],
    'malformedHttp',
  ),
  ...allOf([
    'ffffffffffffffff\r\n{}',
    '7fffffff\r\n{}',
    '2\n{}\n0\n\n',
    '2\r\n{}\r0\r\n\r\n',
    ' 2\r\n{}\r\n',
    '2 \r\n{}\r\n0\r\n\r\n',
    '2;a=b;c="d\r\n',
    '2;\0\r\n{}\r\n',
    '2\r\n{}\r\n0\r\nA: b\r\n\r\n',
    '2\r\n{}\r\n0\r\nContent-Length: 5\r\nAuthorization: Bearer x\r\n\r\n',
    '2\r\n{}\r\n0\r\nno colon\r\n\r\n',
    '00000000000000000000000000000002\r\n{}\r\n0\r\n\r\n',
    '1\r\n{\r\n'.repeat(300),
  ]),
  [`2;${'a'.repeat(17_000)}\r\n`, 'bodyTooLarge'],
  [`0\r\n${'A: bcdefghijklmnop\r\n'.repeat(2000)}\r\n`, 'headersTooLarge'],
];

/** Invalid or unusual chunks. */
const chunks: Requests = fc
  .tuple(mostly('', 2, fc.constant('3\r\n{ \n\r\n')), fc.constantFrom(...CHUNKS))
  .map(([start, [rest, ...expects]]) => ({ bytes: post(Buffer.from(start + rest), CHUNKED), expects }));

const CONNECT = 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n';

/** What follows a valid request. */
const followers = fc.oneof(
  changes(fc.integer({ min: 1, max: 50 }), (_good, lines) => Buffer.from('\r\n'.repeat(lines))),
  changes(fc.uint8Array({ minLength: 1, maxLength: 200 }), (_good, noise) => Buffer.from(noise)),
  changes(fractions, (good, end) => good.subarray(0, Math.floor(end * good.length))),
  changes(fc.integer({ min: 1, max: 6 }), (good, copies) => Buffer.alloc(good.length * copies, good)),
  changes(fc.constantFrom('garbage\r\n\r\n', CONNECT), (_good, text) => Buffer.from(text)),
);

/** A valid request, and then bytes that are not one, or more of the same. */
const followed: Requests = fc
  .tuple(validBodies, mostly([], 2, fc.constant(['Connection: close'])), followers)
  .map(([{ body }, closing, follow]) => {
    const good = post(body, lengthOf(body), ...closing);
    return { bytes: Buffer.concat([good, follow(good)]), expects: [] };
  });

/** Requests whose end is unclear. */
export const FRAMING = {
  'broken: lengths': lengths,
  'broken: chunks': chunks,
  'broken: what follows': followed,
};

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { validBodies } from './plants.ts';
import { type Draft, fractions, GOOD_FIELDS } from './request.ts';

type Coding = readonly [name: string, encode: (body: Buffer) => Buffer];

const FAST = { level: 1 };
const gzip: Coding[1] = (body) => gzipSync(body, FAST);
const CODINGS: readonly Coding[] = [
  ['identity', (body) => body],
  ['gzip', gzip],
  ['X-GZIP', gzip],
  ['deflate', (body) => deflateSync(body, FAST)],
  ['br', (body) => brotliCompressSync(body, { params: { 1: 0 } })],
];

const withCoding = (draft: Draft, coding: string): Draft => ({
  ...draft,
  fields: [...GOOD_FIELDS, `Content-Encoding: ${coding}`],
});

const codings = fc.constantFrom(...CODINGS);

/** Valid bodies, compressed as they claim. */
export const compressed: fc.Arbitrary<Draft> = fc
  .tuple(validBodies, codings)
  .map(([draft, [coding, encode]]) => withCoding({ ...draft, body: encode(draft.body) }, coding));

/** Compressed bodies with one byte changed, some of them cut short. A change may happen to do no harm. */
export const damagedCompressed: fc.Arbitrary<Draft> = fc
  .tuple(validBodies, codings, fractions, fc.nat(255), fc.option(fractions, { freq: 2, nil: 1 }))
  .map(([draft, [coding, encode], place, byte, end]) => {
    const body = Buffer.from(encode(draft.body));
    body[Math.floor(place * body.length)] = byte;
    const damaged: Draft = {
      body: body.subarray(0, Math.max(1, Math.ceil(end * body.length))),
      expects: [...draft.expects, 'malformedJson', 'schemaMismatch', 'bodyTooLarge'],
    };
    return withCoding(damaged, coding);
  });

const CLAIMS: readonly Coding[] = [
  ['gzip', (body) => body],
  ['deflate', (body) => body],
  ['br', () => Buffer.alloc(64, 0xff)],
  ['deflate', (body) => deflateRawSync(body)],
  ['gzip', (body) => gzipSync(gzipSync(body))],
];
const UNKNOWN_CODINGS = ['zstd', 'compress', 'gzip, br', 'gzip,gzip', 'utf-8', '*', '__proto__', ''];

/** Bodies that are not in the coding that they claim, or claim an unknown one. */
export const wrongCodings: fc.Arbitrary<Draft> = fc.oneof(
  {
    weight: CLAIMS.length,
    arbitrary: fc
      .tuple(validBodies, fc.constantFrom(...CLAIMS))
      .map(([{ body }, [coding, encode]]) =>
        withCoding({ body: encode(body), expects: ['malformedJson'] }, coding),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(validBodies, fc.constantFrom(...UNKNOWN_CODINGS))
      .map(([{ body }, coding]) => withCoding({ body, expects: ['unsupportedMediaType'] }, coding)),
  },
);

const MEBIBYTE = Buffer.alloc(2 ** 20, 0x20);
const tooLarge = (body: Buffer): Draft => ({ body, expects: ['bodyTooLarge'] });
const BOMBS: readonly Draft[] = [
  withCoding(tooLarge(gzipSync(MEBIBYTE)), 'gzip'),
  withCoding(tooLarge(deflateSync(MEBIBYTE)), 'deflate'),
  withCoding(tooLarge(brotliCompressSync(MEBIBYTE)), 'br'),
];

/** Bodies above the limit, as sent or once inflated. */
export const tooLargeBodies: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(tooLarge(Buffer.alloc(110_000, 0x20))) },
  { weight: 4, arbitrary: fc.constantFrom(...BOMBS) },
);

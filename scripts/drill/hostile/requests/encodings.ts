import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { GOOD_FIELDS } from '../../wire.ts';
import { validBodies } from './plants.ts';
import { type Draft, type Drafts, fractions, refused } from './request.ts';

type Coding = readonly [name: string, encode: (body: Buffer) => Buffer];

const FAST = { level: 1 };
const CODINGS: readonly Coding[] = [
  ['identity', (body) => body],
  ['gzip', (body) => gzipSync(body, FAST)],
  ['X-GZIP', (body) => gzipSync(body, FAST)],
  ['deflate', (body) => deflateSync(body, FAST)],
  ['br', (body) => brotliCompressSync(body, { params: { 1: 0 } })],
];

const withCoding = (draft: Draft, coding: string): Draft => ({
  ...draft,
  fields: [...GOOD_FIELDS, `Content-Encoding: ${coding}`],
});

const compressed = fc
  .tuple(validBodies, fc.constantFrom(...CODINGS))
  .map(([draft, [coding, encode]]) => withCoding({ ...draft, body: encode(draft.body) }, coding));

/** One byte is changed, and some bodies are cut short. A change may happen to do no harm. */
const damaged = fc
  .tuple(compressed, fractions, fc.nat(255), fc.option(fractions, { freq: 2, nil: 1 }))
  .map(([{ body: good, plant: _, ...draft }, place, byte, end]): Draft => {
    const body = Buffer.from(good);
    body[Math.floor(place * body.length)] = byte;
    return {
      ...draft,
      body: body.subarray(0, Math.max(1, Math.ceil(end * body.length))),
      expects: [...draft.expects, 'malformedJson', 'schemaMismatch', 'bodyTooLarge'],
    };
  });

const CLAIMS: readonly Coding[] = [
  ['gzip', (body) => body],
  ['deflate', (body) => body],
  ['br', () => Buffer.alloc(64, 0xff)],
  ['deflate', (body) => deflateRawSync(body)],
  ['gzip', (body) => gzipSync(gzipSync(body))],
];
const UNKNOWN = ['zstd', 'compress', 'gzip, br', 'gzip,gzip', 'utf-8', '*', '__proto__', ''];

/** Bodies that are not in the coding that they claim, or claim an unknown one. */
const wrongCodings = fc
  .tuple(
    validBodies,
    fc.oneof(
      { weight: CLAIMS.length, arbitrary: fc.constantFrom(...CLAIMS) },
      { weight: 1, arbitrary: fc.constantFrom(...UNKNOWN) },
    ),
  )
  .map(([{ body }, claim]) =>
    typeof claim === 'string'
      ? withCoding(refused(body, 'unsupportedMediaType'), claim)
      : withCoding(refused(claim[1](body), 'malformedJson'), claim[0]),
  );

const MEBIBYTE = Buffer.alloc(2 ** 20, 0x20);
const tooLarge = (body: Buffer): Draft => refused(body, 'bodyTooLarge');

/** Bodies above the limit, as sent or once inflated. */
const tooLargeBodies = fc.oneof(
  { weight: 1, arbitrary: fc.constant(tooLarge(Buffer.alloc(110_000, 0x20))) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      withCoding(tooLarge(gzipSync(MEBIBYTE)), 'gzip'),
      withCoding(tooLarge(deflateSync(MEBIBYTE)), 'deflate'),
      withCoding(tooLarge(brotliCompressSync(MEBIBYTE)), 'br'),
    ),
  },
);

/** Bodies in content codings, as they claim or not. */
export const ENCODINGS: Drafts = {
  'body: compressed': compressed,
  'body: compressed, damaged': damaged,
  'body: wrong coding': wrongCodings,
  'body: too large': tooLargeBodies,
};

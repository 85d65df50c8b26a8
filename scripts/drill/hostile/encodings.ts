import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { HostileBody, MakeBody } from './case.ts';
import { makeValid } from './members.ts';
import type { Some } from './random.ts';

type Coding = readonly [name: string, encode: (body: Buffer) => Buffer];

const quick = { level: 1 };
const CODINGS: Some<Coding> = [
  ['gzip', (body) => gzipSync(body, quick)],
  ['X-GZIP', (body) => gzipSync(body, quick)],
  ['deflate', (body) => deflateSync(body, quick)],
  ['br', (body) => brotliCompressSync(body, { params: { 1: 0 } })],
  ['identity', (body) => body],
];

const encoded = (body: HostileBody, coding: string, bytes: Buffer): HostileBody => ({
  ...body,
  bytes,
  fields: [`Content-Encoding: ${coding}`],
});

/** A compressed body, as it should be. */
export const makeCompressed: MakeBody = (random) => {
  const body = makeValid(random);
  const [coding, encode] = random.pick(CODINGS);
  return encoded(body, coding, encode(body.bytes));
};

/** A compressed body with a wrong byte, or cut short. A byte that means nothing may be wrong and do no harm. */
export const makeDamagedCompressed: MakeBody = (random) => {
  const body = makeValid(random);
  const [coding, encode] = random.pick(CODINGS);
  const bytes = Buffer.from(encode(body.bytes));
  bytes[random.below(bytes.length)] = random.below(256);
  const damaged: HostileBody = {
    bytes,
    expects: [...body.expects, 'malformedJson', 'schemaMismatch', 'bodyTooLarge'],
  };
  const end = random.chance(0.5) ? bytes.length : random.between(1, bytes.length);
  return encoded(damaged, coding, bytes.subarray(0, end));
};

/** A body that is not in the encoding that it claims, or in one that nobody knows. */
export const makeWrongCoding: MakeBody = (random) => {
  const { bytes } = makeValid(random);
  const claim = (coding: string, sent: Buffer): HostileBody =>
    encoded({ bytes, expects: ['malformedJson'] }, coding, sent);
  const unknown = random.pick(['zstd', 'compress', 'gzip, br', 'gzip,gzip', 'utf-8', '*', '__proto__', '']);
  return random.pick([
    () => claim('gzip', bytes),
    () => claim('deflate', bytes),
    () => claim('br', Buffer.alloc(64, 0xff)),
    () => claim('deflate', deflateRawSync(bytes)),
    () => claim('gzip', gzipSync(gzipSync(bytes))),
    (): HostileBody => ({ ...claim(unknown, bytes), expects: ['unsupportedMediaType'] }),
  ])();
};

const MEBIBYTE = Buffer.alloc(2 ** 20, 0x20);
const BOMBS: Some<readonly [coding: string, bytes: Buffer]> = [
  ['gzip', gzipSync(MEBIBYTE)],
  ['deflate', deflateSync(MEBIBYTE)],
  ['br', brotliCompressSync(MEBIBYTE)],
];

/** A body above the limit, as sent or once inflated. */
export const makeTooLarge: MakeBody = (random) => {
  const body: HostileBody = { bytes: Buffer.alloc(110_000, 0x20), expects: ['bodyTooLarge'] };
  return random.chance(0.2) ? body : encoded(body, ...random.pick(BOMBS));
};

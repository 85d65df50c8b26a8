import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { CHUNKED, GOOD_FIELDS, lengthOf, writeRequest } from '../wire.ts';
import { chunkings, creates, type Draft, fractions, framed, mostly, type Requests } from './request.ts';

// Tests assert how single requests are refused, and the contract tests what JSON is. The flood mutates bytes, and sends
// many requests on one connection.

const split = (texts: string): string[] => texts.split('|');
const constants = (texts: string) => fc.constantFrom(...split(texts));

/** JSON that stops in the middle, in a request that is complete. */
const cutShort: fc.Arbitrary<Draft> = fc.tuple(creates, fractions).map(([{ body }, end]) => {
  const json = Buffer.from(body.toString().trim());
  return { body: json.subarray(0, 1 + Math.floor(end * (json.length - 1))), expects: [40001] };
});

const FAST = { level: 1 };
const CODINGS: readonly (readonly [name: string, encode: (body: Buffer) => Buffer])[] = [
  ['identity', (body) => body],
  ['gzip', (body) => gzipSync(body, FAST)],
  ['deflate', (body) => deflateSync(body, FAST)],
  ['br', (body) => brotliCompressSync(body, { params: { 1: 0 } })],
];
const coded = (coding: string) => [...GOOD_FIELDS, `Content-Encoding: ${coding}`];

const compressed = fc
  .tuple(creates, fc.constantFrom(...CODINGS))
  .map(([draft, [coding, encode]]) => ({ ...draft, body: encode(draft.body), fields: coded(coding) }));

/** One byte is changed, and some bodies are cut short. A change may happen to do no harm. */
const compressedBadly = fc
  .tuple(compressed, fractions, fc.nat(255), fc.option(fractions, { freq: 2, nil: 1 }))
  .map(([{ body: good, plant: _, ...draft }, place, byte, end]): Draft => {
    const body = Buffer.from(good);
    body[Math.floor(place * body.length)] = byte;
    return {
      ...draft,
      body: body.subarray(0, Math.max(1, Math.ceil(end * body.length))),
      expects: [...draft.expects, 40001, 40002, 41301],
    };
  });

/** Requests whose end is clear, by kind: each gets exactly one reply. */
export const FRAMED: Readonly<Record<string, fc.Arbitrary<Draft>>> = {
  'JSON: valid': creates,
  'JSON: cut short': cutShort,
  'body: compressed': compressed,
  'body: compressed, damaged': compressedBadly,
};

const post = (body: Buffer | string, ...fields: string[]): Buffer =>
  writeRequest('POST /plants HTTP/1.1', [...GOOD_FIELDS, ...fields], body);

/** Two servers could read such a request in two ways, so it is refused (RFC 9112, section 6). `#` is the true length. */
const AMBIGUOUS = [
  ...[`Content-Length: #\r\n${CHUNKED}`, `${CHUNKED}\r\nContent-Length: #`, 'Content-Length : #'],
  ...['Content-Length: #\r\nContent-Length: 1#', 'Content-Length: #\r\nContent-Length: #'],
  ...split('|#, #|-#|+#|0x#|#.0|ten|99999999999999999999999').map((length) => `Content-Length: ${length}`),
  ...split('chunked, gzip|gzip|identity|xchunked').map((coding) => `Transfer-Encoding: ${coding}`),
];
/** Refused, or read in the one way that is left. */
const ODD = [
  ...split('0|5|00#|1#|9007199254740993').map((length) => `Content-Length: ${length}`),
  ...split('|chunked, chunked|gzip, chunked|\tCHUNKED|"chunked"|chunked;q=1').map(
    (coding) => `Transfer-Encoding: ${coding}`,
  ),
  ...[' Content-Length: #', 'X: y\r\nContent-Length\t: #', `${CHUNKED}\r\n${CHUNKED}`],
];
const LENGTHS: readonly (readonly [fields: string, ...expects: number[]])[] = [
  ...AMBIGUOUS.map((fields) => [fields, 40003] as const),
  ...ODD.map((fields) => [fields] as const),
];

/** Contradictory or invalid statements of where the body ends. */
const lengths: Requests = fc
  .tuple(creates, fc.option(chunkings, { freq: 2 }), fc.constantFrom(...LENGTHS))
  .map(([draft, writeChunks, [fields, ...expects]]) => {
    const body = writeChunks ? writeChunks(draft.body) : draft.body;
    return { bytes: post(body, fields.replaceAll('#', `${body.length}`)), expects };
  });

/** Requests to which any well-formed reply will do. */
const anyReply = (all: fc.Arbitrary<Uint8Array>): Requests =>
  all.map((bytes) => ({ bytes: Buffer.from(bytes), expects: [] }));

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const noise = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength });

/** A valid request, and then bytes that are not one, or more of the same. */
const followed = anyReply(
  fc
    .tuple(
      creates,
      mostly([], 2, fc.constant(['Connection: close'])),
      fc.oneof(
        fc.integer({ min: 1, max: 50 }).map((lines) => () => Buffer.from('\r\n'.repeat(lines))),
        noise(200).map((bytes) => () => bytes),
        fractions.map((end) => (good: Buffer) => good.subarray(0, Math.floor(end * good.length))),
        fc
          .integer({ min: 1, max: 6 })
          .map((times) => (good: Buffer) => Buffer.alloc(good.length * times, good)),
        fc.constant(() => Buffer.from('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')),
      ),
    )
    .map(([{ body }, closing, follow]) => {
      const good = post(body, lengthOf(body), ...closing);
      return Buffer.concat([good, follow(good)]);
    }),
);

/** Header fields that break the rules of HTTP, or that later code could trip over. */
const FIELDS = [
  ...split(
    'no colon|: no name|A : b| folded: first|A: b\r\n folded|A: b\rC: d|A: b\nC: d|A: \0|A\0: b|A(b): c',
  ),
  ...split(
    'A: \u00ff\u00fe|Host: another|Content-Type: text/plain|Content-Encoding: gzip|Authorization: Basic a',
  ),
  ...split(
    'Connection: close|Connection: Content-Length|Connection: upgrade\r\nUpgrade: websocket|Trailer: A',
  ),
  ...split(
    'Expect: 100-continue|Expect: tea|TE: trailers, chunked;q=nan|__proto__: a|X-HTTP-Method-Override: GET',
  ),
  ...[`A: ${'b'.repeat(70_000)}`, `${'a'.repeat(20_000)}: b`, Array(2500).fill('a:').join('\r\n')],
];

const headerFields = anyReply(
  fc
    .tuple(creates, fc.array(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([{ body }, odd, isOddFirst]) => {
      const good = [...GOOD_FIELDS, lengthOf(body)];
      return writeRequest('POST /plants HTTP/1.1', isOddFirst ? [...odd, ...good] : [...good, ...odd], body);
    }),
);

const goodRequests = framed(creates).map(({ bytes }) => bytes);

/** Bytes that have a meaning to a parser: of HTTP, of chunks, of JSON. */
const PIECES = constants(
  '\r\n|\r\n\r\n|\r|\n|\0|: |,|;|{|}|"|\\|0\r\n\r\n|zz\r\n|7fffffff\r\n|\\ud800|1e999|\u00ff',
);

/** Replaces some bytes at a place by others. */
const splice = (bytes: Buffer, at: number, count: number, piece: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + count)]);

/** Damage by a generated value at any place. */
const damageBy = <T>(values: fc.Arbitrary<T>, damage: (bytes: Buffer, at: number, value: T) => Buffer) =>
  fc.tuple(values, fractions).map(
    ([value, place]) =>
      (bytes: Buffer) =>
        damage(bytes, Math.floor(place * bytes.length), value),
  );

const upTo = (max: number) => fc.integer({ min: 1, max });

const damages = fc.oneof(
  damageBy(fc.nat(7), (bytes, at, bit) => splice(bytes, at, 1, Buffer.of((bytes[at] ?? 0) ^ (1 << bit)))),
  damageBy(fc.nat(255), (bytes, at, byte) => splice(bytes, at, 1, Buffer.of(byte))),
  damageBy(PIECES, (bytes, at, piece) => splice(bytes, at, 0, bytesOf(piece))),
  damageBy(noise(40), (bytes, at, piece) => splice(bytes, at, 0, piece)),
  damageBy(upTo(16), (bytes, at, count) => splice(bytes, at, count)),
  damageBy(upTo(64), (bytes, at, count) => splice(bytes, at, 0, bytes.subarray(at, at + count))),
  damageBy(fc.tuple(goodRequests, fractions), (bytes, at, [other, from]) =>
    splice(bytes, at, bytes.length, other.subarray(Math.floor(from * other.length))),
  ),
);

/** Valid requests with some bytes flipped, replaced, inserted, removed, repeated, or swapped for another request's. */
const damaged = anyReply(
  fc
    .tuple(goodRequests, fc.array(damages, { minLength: 1, maxLength: 4 }))
    .map(([good, all]) => all.reduce((bytes, damage) => damage(bytes), good)),
);

/** Valid requests that stop before their end. */
const truncated: Requests = fc.tuple(goodRequests, fractions).map(([good, end]) => ({
  bytes: good.subarray(0, 1 + Math.floor(end * (good.length - 1))),
  expects: [40003],
}));

/** Requests that break the rules of HTTP, by kind. Nothing can follow one of them on its connection. */
export const BROKEN: Readonly<Record<string, Requests>> = {
  'broken: lengths': lengths,
  'broken: what follows': followed,
  'broken: header fields': headerFields,
  'broken: bytes': damaged,
  'broken: truncated': truncated,
};

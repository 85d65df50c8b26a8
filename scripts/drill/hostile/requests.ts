import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { NewPlant, Plant } from '../../../src/plants/plant.ts';
import type { Chance } from '../chance.ts';
import { CHUNKED, GOOD_FIELDS, lengthOf, writeRequest } from '../wire.ts';

// Tests assert how single requests are refused, and the contract tests what JSON is. The flood mutates bytes, and sends
// many requests on one connection.

/** A request, and the replies to it that are right. */
export interface HostileRequest {
  readonly bytes: Buffer;
  /** The only right replies: 200, or the number of an error. If empty, any well-formed reply will do. */
  readonly expects: readonly number[];
  /** The plant that a 200 must show, and that must then be stored exactly. */
  readonly plant?: NewPlant | undefined;
}

/** Requests of some kinds, by what is wrong or unusual about them: a row of the table each. */
export type Kinds = Readonly<Record<string, (chance: Chance) => HostileRequest>>;

const split = (texts: string): string[] => texts.split('|');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Text that careless code breaks on: quotes, escapes, controls, right-to-left, astral, markup, requests. */
const TEXTS = [
  ...'a "\\/\n\t\u0001\u001f\u007f\u0085é\u200f\u2028\ufeff\ufffd\uffff🌱\u{10ffff}',
  ...split(`Fern|\\u0000|\r\n\r\n|e\u0301|'; DROP TABLE plants; --|<script>|$(id) \`id\`|%00%s%n|__proto__`),
  'POST /plants HTTP/1.1\r\nHost: inner\r\nContent-Length: 0\r\n\r\n',
];
const writeText = ({ pick, between }: Chance): string =>
  Array.from({ length: between(0, 6) }, () => pick(...TEXTS)).join('');

/** Makes a valid plant, whose id nobody else has, and its JSON. */
const makePlant = (chance: Chance) => {
  const id = chance.int64();
  const others: Plant = { name: writeText(chance), ...(chance.oneIn(2) && { tag: writeText(chance) }) };
  const plant: NewPlant = { id, ...others };
  const space = chance.pick('', ' ', '\r\n\t');
  return { plant, json: Buffer.from(`${space}{"id":${id},${JSON.stringify(others).slice(1)}${space}`) };
};

const writeChunks = ({ between, oneIn }: Chance, body: Buffer): Buffer => {
  const written: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const chunk = body.subarray(start, start + between(1, body.length));
    const extension = oneIn(10) ? ';a=b' : '';
    written.push(bytesOf(`${chunk.length.toString(16)}${extension}\r\n`), chunk, bytesOf('\r\n'));
    start += chunk.length;
  }
  return Buffer.concat([...written, bytesOf('0\r\n\r\n')]);
};

const post = (body: Buffer, ...fields: string[]): Buffer =>
  writeRequest('POST /plants HTTP/1.1', [...GOOD_FIELDS, ...fields], body);

/** A request that ends where it says, by its length or in chunks. */
const frame = (chance: Chance, body: Buffer, ...fields: string[]): Buffer =>
  chance.oneIn(5)
    ? post(writeChunks(chance, body), ...fields, CHUNKED)
    : post(body, ...fields, lengthOf(body));

/** A valid create. */
const makeCreate = (chance: Chance): HostileRequest => {
  const { plant, json } = makePlant(chance);
  return { bytes: frame(chance, json), expects: [200], plant };
};

const FAST = { level: 1 };
const CODINGS: readonly (readonly [name: string, encode: (body: Buffer) => Buffer])[] = [
  ['identity', (body) => body],
  ['gzip', (body) => gzipSync(body, FAST)],
  ['deflate', (body) => deflateSync(body, FAST)],
  ['br', (body) => brotliCompressSync(body, { params: { 1: 0 } })],
];

/** Requests whose end is clear: each gets exactly one reply. */
export const FRAMED: Kinds = {
  'JSON: valid': makeCreate,
  'JSON: cut short': (chance) => {
    const json = bytesOf(makePlant(chance).json.toString('latin1').trim());
    return {
      bytes: frame(chance, json.subarray(0, chance.between(1, json.length - 1))),
      expects: [40001],
    };
  },
  'body: compressed': (chance) => {
    const { plant, json } = makePlant(chance);
    const [coding, encode] = chance.pick(...CODINGS);
    const bytes = frame(chance, encode(json), `Content-Encoding: ${coding}`);
    return { bytes, expects: [200], plant };
  },
  /** One byte is changed, which may do no harm, and some bodies are cut short. */
  'body: compressed, damaged': (chance) => {
    const [coding, encode] = chance.pick(...CODINGS);
    const body = Buffer.from(encode(makePlant(chance).json));
    body[chance.between(0, body.length - 1)] = chance.between(0, 255);
    const cut = body.subarray(0, chance.oneIn(2) ? chance.between(1, body.length) : body.length);
    return {
      bytes: frame(chance, cut, `Content-Encoding: ${coding}`),
      expects: [200, 40001, 40002, 41301],
    };
  },
};

/** Bytes that have a meaning to a parser: of HTTP, of chunks, of JSON. */
const MEANINGFUL = split(
  '\r\n|\r\n\r\n|\r|\n|\0|: |,|;|{|}|"|\\|0\r\n\r\n|zz\r\n|7fffffff\r\n|\\ud800|1e999|\u00ff',
);

const noise = ({ between }: Chance, most: number): Uint8Array =>
  Uint8Array.from({ length: between(1, most) }, () => between(0, 255));

/** Replaces some bytes at a place by others. */
const splice = (bytes: Buffer, at: number, count: number, piece: Iterable<number> = []): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Uint8Array.from(piece), bytes.subarray(at + count)]);

/** Ways to damage a request at a place: a bit, a byte, more, fewer or repeated bytes, the end of another request. */
const DAMAGES: readonly ((bytes: Buffer, at: number, chance: Chance) => Buffer)[] = [
  (bytes, at, { between }) => splice(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << between(0, 7))]),
  (bytes, at, { between }) => splice(bytes, at, 1, [between(0, 255)]),
  (bytes, at, { pick }) => splice(bytes, at, 0, bytesOf(pick(...MEANINGFUL))),
  (bytes, at, chance) => splice(bytes, at, 0, noise(chance, 40)),
  (bytes, at, { between }) => splice(bytes, at, between(1, 16)),
  (bytes, at, { between }) => splice(bytes, at, 0, bytes.subarray(at, at + between(1, 64))),
  (bytes, at, chance) => {
    const other = makeCreate(chance).bytes;
    return splice(bytes, at, bytes.length, other.subarray(chance.between(0, other.length - 1)));
  },
];

/** What comes after a valid request: bytes that are not one, or more of the same. */
const FOLLOWERS: readonly ((good: Buffer, chance: Chance) => Uint8Array)[] = [
  (_good, { between }) => bytesOf('\r\n'.repeat(between(1, 50))),
  (_good, chance) => noise(chance, 200),
  (good, { between }) => good.subarray(0, between(0, good.length - 1)),
  (good, { between }) => Buffer.alloc(good.length * between(1, 6), good),
  () => bytesOf('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'),
];

/** Requests that break the rules of HTTP. Nothing can follow one of them on its connection. */
export const BROKEN: Kinds = {
  'broken: what follows': (chance) => {
    const { json } = makePlant(chance);
    const good = post(json, lengthOf(json), ...(chance.oneIn(3) ? ['Connection: close'] : []));
    return { bytes: Buffer.concat([good, chance.pick(...FOLLOWERS)(good, chance)]), expects: [] };
  },
  'broken: bytes': (chance) => {
    let { bytes } = makeCreate(chance);
    for (let times = chance.between(1, 4); times > 0; times -= 1)
      bytes = chance.pick(...DAMAGES)(bytes, chance.between(0, bytes.length - 1), chance);
    return { bytes, expects: [] };
  },
  'broken: truncated': (chance) => {
    const { bytes } = makeCreate(chance);
    return { bytes: bytes.subarray(0, chance.between(1, bytes.length - 1)), expects: [40003] };
  },
};

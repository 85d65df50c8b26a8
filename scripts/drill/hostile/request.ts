import fc from 'fast-check';
import { type NewPlant, type Plant, toPlant } from '../../../src/plants/plant.ts';
import { CHUNKED, GOOD_FIELDS, lengthOf, writeRequest } from '../wire.ts';

/** A hostile request, and the replies to it that are right. */
export interface HostileRequest {
  /** What is wrong or unusual about it: a row of the table. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** The only right replies: 200, or the number of an error. If empty, any well-formed reply will do. */
  readonly expects: readonly number[];
  /** The plant that a 200 must show. */
  readonly plant?: Plant | undefined;
}

/** Generates requests of one kind. */
export type Requests = fc.Arbitrary<Omit<HostileRequest, 'kind'>>;

/** A request before it is written as bytes. */
export interface Draft extends Omit<HostileRequest, 'kind' | 'bytes'> {
  /** `POST /plants` by default. */
  readonly start?: string;
  /** Every header field but those that frame the body; valid ones by default. */
  readonly fields?: readonly string[];
  readonly body: Buffer;
}

/** A valid plant is created, unless its id is already another plant's. */
export const CREATED: readonly number[] = [200, 40901];

/** Mostly the usual value, and otherwise another one. Findings shrink to the usual value. */
export const mostly = <T, U>(usual: T, weight: number, others: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: others },
  );

const STEPS = 2 ** 20;

/** A fraction from 0 to just below 1, to choose a place in bytes whose number is not known yet. */
export const fractions: fc.Arbitrary<number> = fc.nat(STEPS - 1).map((step) => step / STEPS);

const sizes = fc.array(fc.tuple(fractions, mostly('', 9, fc.constant(';a=b'))), { maxLength: 8 });

/** Functions that write a body in chunks of any sizes. */
export const chunkings = sizes.map((parts) => (body: Buffer): Buffer => {
  const written: Buffer[] = [];
  let start = 0;
  for (const [fraction, extension] of [...parts, [1, ''] as const]) {
    const chunk = body.subarray(start, start + Math.ceil(fraction * body.length));
    if (chunk.length === 0) continue; // an empty chunk would end the body
    written.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
    start += chunk.length;
  }
  return Buffer.concat([...written, Buffer.from('0\r\n\r\n')]);
});

/** Writes drafts as requests that end where they say, by length or in chunks: each gets exactly one reply. */
export const framed = (drafts: fc.Arbitrary<Draft>): Requests =>
  fc
    .tuple(drafts, mostly(undefined, 4, chunkings))
    .map(([{ start = 'POST /plants', fields = GOOD_FIELDS, body, expects, plant }, writeChunks]) => ({
      bytes: writeRequest(
        `${start} HTTP/1.1`,
        [...fields, writeChunks ? CHUNKED : lengthOf(body)],
        writeChunks ? writeChunks(body) : body,
      ),
      expects,
      plant,
    }));

/** Text that careless code breaks on: quotes, escapes, controls, right-to-left, astral, markup, requests. */
const PIECES = [
  ...'a "\\/\n\t\u0001\u001f\u007f\u0085é\u200f\u2028\ufeff\ufffd\uffff🌱\u{10ffff}',
  ...`Fern|\\u0000|\r\n\r\n|e\u0301|'; DROP TABLE plants; --|<script>|$(id) \`id\`|%00%s%n|__proto__`.split(
    '|',
  ),
  'POST /plants HTTP/1.1\r\nHost: inner\r\nContent-Length: 0\r\n\r\n',
];

/** Well-formed text without U+0000. The service must store it exactly. */
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));

/** Valid plants with ids from a range. */
export const plantsWith = (ids: fc.Arbitrary<bigint>): fc.Arbitrary<NewPlant> =>
  fc.record({ id: ids, name: texts, tag: texts }, { requiredKeys: ['id', 'name'], noNullPrototype: true });

/** A request that creates a plant. */
export const create = (plant: NewPlant, space = ''): Draft => {
  const { id, ...others } = plant;
  const body = `${space}{"id":${id},${JSON.stringify(others).slice(1)}${space}`;
  return { body: Buffer.from(body), expects: CREATED, plant: toPlant(plant) };
};

/** Requests that create a plant. Two of them rarely have the same id. */
export const creates: fc.Arbitrary<Draft> = fc
  .tuple(
    plantsWith(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(BigInt)),
    fc.constantFrom('', ' ', '\r\n\t'),
  )
  .map(([plant, space]) => create(plant, space));

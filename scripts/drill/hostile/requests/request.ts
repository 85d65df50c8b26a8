import fc from 'fast-check';
import type { Plant } from '../../../../src/plants/plant.ts';
import { CHUNKED, GOOD_FIELDS, lengthOf, writeRequest } from '../../wire.ts';
import type { Outcome } from '../outcome.ts';

/** A hostile request, and the replies to it that are right. */
export interface HostileRequest {
  /** What is wrong or unusual about it: a row of the table. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** The only right outcomes. If empty, any well-formed reply will do. */
  readonly expects: readonly Outcome[];
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

/** Generates drafts of several kinds, by their names. */
export type Drafts = Readonly<Record<string, fc.Arbitrary<Draft>>>;

/** A valid plant is created, unless its id is already another plant's. */
export const CREATED: readonly Outcome[] = ['served', 'idTaken'];

/** A body that is refused in one way. */
export const refused = (body: Buffer | string, outcome: Outcome): Draft => ({
  body: Buffer.from(body),
  expects: [outcome],
});

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

/** Generates functions that change bytes in a way that depends on a generated value. */
export const changes = <T>(values: fc.Arbitrary<T>, change: (bytes: Buffer, value: T) => Buffer) =>
  values.map((value) => (bytes: Buffer) => change(bytes, value));

const sizes = fc.array(fc.tuple(fractions, mostly('', 9, fc.constant(';a=b'))), { maxLength: 8 });

/** Writes bodies in chunks of any sizes. */
export const chunkings = changes(sizes, (body, parts) => {
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

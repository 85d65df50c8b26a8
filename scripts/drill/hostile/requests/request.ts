import fc from 'fast-check';
import type { Plant } from '../../../../src/plants/plant.ts';
import { TOKEN } from '../../plant-store.ts';
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
  /** `POST /plants HTTP/1.1` by default. */
  readonly line?: string;
  /** Every header field but those that frame the body; valid ones by default. */
  readonly fields?: readonly string[];
  readonly body: Buffer;
}

/** A valid plant is created, unless its id is already another plant's. */
export const CREATED: readonly Outcome[] = ['served', 'idTaken'];

export const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
export const JSON_TYPE = 'Content-Type: application/json';
export const CHUNKED = 'Transfer-Encoding: chunked';

/** The header fields of a valid request, except for the length of its body. */
export const GOOD_FIELDS: readonly string[] = ['Host: drill', AUTHORIZATION, JSON_TYPE];

export const lengthOf = (body: Buffer): string => `Content-Length: ${body.length}`;

/** Writes a request exactly as given. */
export const writeRequest = ({
  line = 'POST /plants HTTP/1.1',
  fields = GOOD_FIELDS,
  body,
}: Pick<Draft, 'line' | 'fields' | 'body'>): Buffer =>
  Buffer.concat([Buffer.from([line, ...fields, '', ''].join('\r\n'), 'latin1'), body]);

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

/** Writes a body in a certain way. */
type WriteBody = (body: Buffer) => Buffer;

/** Writes bodies in chunks of any sizes. */
export const chunkings: fc.Arbitrary<WriteBody> = fc
  .array(fc.tuple(fractions, mostly('', 9, fc.constant(';a=b'))), { maxLength: 8 })
  .map((sizes) => (body) => {
    const parts: Buffer[] = [];
    let start = 0;
    for (const [fraction, extension] of [...sizes, [1, ''] as const]) {
      const chunk = body.subarray(start, start + Math.ceil(fraction * body.length));
      if (chunk.length === 0) continue; // an empty chunk would end the body
      parts.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
      start += chunk.length;
    }
    return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
  });

/** Writes drafts as requests that end where they say, by length or in chunks: each gets exactly one reply. */
export const framed = (drafts: fc.Arbitrary<Draft>): Requests =>
  fc
    .tuple(drafts, mostly(undefined, 4, chunkings))
    .map(([{ line, fields = GOOD_FIELDS, body, expects, plant }, writeChunks]) => {
      const framing = writeChunks ? CHUNKED : lengthOf(body);
      return {
        bytes: writeRequest({
          ...(line !== undefined && { line }),
          fields: [...fields, framing],
          body: writeChunks ? writeChunks(body) : body,
        }),
        expects,
        plant,
      };
    });

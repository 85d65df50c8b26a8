import type { ProblemName } from '../../../src/contract/problems/problem.ts';
import type { Plant } from '../../../src/plants/plant.ts';
import type { Random } from './random.ts';

/** The token that the attacked service knows. */
export const TOKEN = 'a-token-for-the-drill';

/** What an answer says: 200, or a problem of the table. */
export type Outcome = 'served' | ProblemName;

/** One hostile request. */
export interface Case {
  /** What was done to it: a row in the table. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** The only right answers; none named means that any proper answer will do. */
  readonly expects: readonly Outcome[];
  /** What the body of the answer must be if it is served. */
  readonly plant?: Plant | undefined;
}

/** A body, the header fields that it needs, and what must come of it. */
export interface HostileBody extends Omit<Case, 'kind'> {
  readonly fields?: readonly string[];
}

/** Makes a body by chance. */
export type MakeBody = (random: Random) => HostileBody;

/** The id may be another plant's by now. */
export const CREATED: readonly Outcome[] = ['served', 'idTaken'];

/** A request before it is written out. */
export interface Parts {
  readonly line: string;
  readonly fields: readonly string[];
  readonly body: Buffer;
}

export const LINE = 'POST /plants HTTP/1.1';
export const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
export const JSON_TYPE = 'Content-Type: application/json';

/** The header that a good request has, its length aside. */
export const GOOD_FIELDS: readonly string[] = ['Host: drill', AUTHORIZATION, JSON_TYPE];

export const lengthOf = (body: Buffer): string => `Content-Length: ${body.length}`;

/** Writes a request out, byte for byte as given. */
export const writeRequest = ({ line, fields, body }: Parts): Buffer =>
  Buffer.concat([Buffer.from([line, ...fields, '', ''].join('\r\n'), 'latin1'), body]);

/** The body in chunks of any size. */
export const writeChunks = (random: Random, body: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const chunk = body.subarray(start, start + random.between(1, Math.max(1, body.length)));
    const extension = random.chance(0.1) ? ';a=b' : '';
    parts.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
    start += chunk.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
};

/** Writes a request whose end is where it says, by length or in chunks: it has exactly one answer. */
export const writeFramed = (random: Random, parts: Parts): Buffer =>
  random.chance(0.8)
    ? writeRequest({ ...parts, fields: [...parts.fields, lengthOf(parts.body)] })
    : writeRequest({
        ...parts,
        fields: [...parts.fields, 'Transfer-Encoding: chunked'],
        body: writeChunks(random, parts.body),
      });

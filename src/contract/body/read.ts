import type { IncomingMessage } from 'node:http';
import type { ExactValue } from '../json/exact-value.ts';
import type { Share } from './budget.ts';
import { inflaterFor, tooLarge } from './inflate.ts';

/** Makes of the bytes of a body a value that its schema can validate. */
export type ParseBody = (bytes: Buffer, contentType: string) => ExactValue | Promise<ExactValue>;

/** RFC 9112, section 6.3: without either field there is no body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** A chunk has a cost beside its bytes: a body sent a byte at a time must not cost a hundred times its size. */
const MOST_CHUNKS = 64;

/** The chunks as one. */
export const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/** Adds a chunk to others, and gives back the list to go on with: many chunks are joined into one. */
export const addChunk = (chunks: Buffer[], chunk: Buffer): Buffer[] => {
  chunks.push(chunk);
  return chunks.length < MOST_CHUNKS ? chunks : [joinChunks(chunks)];
};

/** What a body needs while it is being read. */
interface Reading {
  chunks: Buffer[];
  readonly resolve: (value: ExactValue | Promise<ExactValue> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the body of a request, inflates it within the limit and parses it; `undefined` if it turns out to be empty. It
 * is parsed as soon as it ends, so that its bytes are not kept for another turn. Past the limit the rest is still read,
 * and dropped: that way the client gets to see the reply, and the server bounds how long this goes on.
 */
export const readBody = (
  request: IncomingMessage,
  limit: number,
  { take }: Share,
  parse: ParseBody,
): Promise<ExactValue | undefined> =>
  new Promise((resolve, reject) => {
    const { headers } = request;
    if (request.readableDidRead)
      throw new Error('the body was read before it got here: mount this app before any body parser');
    if (request.errored) throw request.errored; // the client hung up during authentication
    const encoding = headers['content-encoding'];
    const inflate = encoding === undefined ? undefined : inflaterFor(encoding);
    if (Number(headers['content-length']) > limit) throw tooLarge(limit);
    // Cleared at the end: the listeners below live as long as the request, which waits for the store with nothing to read.
    let reading: Reading | undefined = { chunks: [], resolve, reject };
    let size = 0;
    const keep = (chunk: Buffer, to: Reading): void => {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      take(chunk.length);
      to.chunks = addChunk(to.chunks, chunk);
    };
    const toValue = (bytes: Buffer): ReturnType<ParseBody> | undefined => {
      if (bytes.length === 0) return undefined;
      const inflated = inflate ? inflate(bytes, limit) : bytes;
      if (inflated !== bytes) take(inflated.length);
      return parse(inflated, headers['content-type'] ?? '');
    };
    const fail = (error: unknown): void => {
      const failed = reading;
      reading = undefined;
      failed?.reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      try {
        if (reading) keep(chunk, reading);
      } catch (error) {
        fail(error);
      }
    });
    request.on('end', () => {
      try {
        reading?.resolve(toValue(joinChunks(reading.chunks)));
        reading = undefined;
      } catch (error) {
        fail(error);
      }
    });
    request.on('error', fail);
  });

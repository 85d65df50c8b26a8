import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ExactValue } from '@trellis/openapi/internal/json';
import type { RequestHeaders } from '../parameters/places.ts';
import { splitPair } from '../parameters/styles.ts';
import { Problem } from '../problems/problem.ts';
import type { Share } from './budget.ts';
import { inflaterFor, tooLarge } from './inflate.ts';

/** The bytes of a request body. They are read once, by `takeChunks` or from the stream. */
export interface BodySource {
  readonly stream: Readable;
  /**
   * Calls back for each chunk, beginning with the chunks that have arrived, and at the end. Returns a function that stops
   * this and leaves the rest in the stream.
   */
  takeChunks(onChunk: (chunk: Buffer) => void, onEnd: () => void): () => void;
  /** Number of bytes that have arrived and are not read. */
  arrived(): number;
  /** Calls back before a chunk is added to these bytes, with its size. */
  onArrival(listener: (bytes: number) => void): void;
}

/** Makes a body of any stream of bytes. A source of our own server is faster. */
export const toBodySource = (stream: Readable): BodySource => ({
  stream,
  takeChunks(onChunk, onEnd) {
    stream.on('data', onChunk).on('end', onEnd);
    return () => void stream.off('data', onChunk).off('end', onEnd).pause();
  },
  arrived: () => stream.readableLength,
  onArrival() {}, // the stream bounds what arrives before it is read
});

/**
 * Number of chunks at which a list is joined: each chunk costs memory beside its bytes, even if it has a single byte.
 */
const MOST_CHUNKS = 64;

/** Joins chunks. */
export const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/** Adds a chunk to a list, and returns the list to continue with: many chunks are joined into one. */
export const addChunk = (chunks: Buffer[], chunk: Buffer): Buffer[] => {
  chunks.push(chunk);
  return chunks.length < MOST_CHUNKS ? chunks : [joinChunks(chunks)];
};

/** The algorithms that are not broken (RFC 9530, section 7.2). */
const ALGORITHMS = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;

/**
 * Checks the bytes of a body, before inflating, against its `Content-Digest` (RFC 9530, section 2); throws 400 if they
 * differ. Without this check, a signature over the header would not cover the body. Unknown algorithms are ignored.
 */
export const checkDigest = ({ 'content-digest': sent }: RequestHeaders, body: Uint8Array): void => {
  if (sent === undefined) return;
  const digests = new Map(
    String(sent)
      .split(',')
      .map((member) => splitPair(member.trim())),
  );
  for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
    const digest = digests.get(name);
    if (digest !== undefined && digest.trim() !== `:${createHash(algorithm).update(body).digest('base64')}:`)
      throw new Problem('schemaMismatch', 'the body does not match its Content-Digest');
  }
};

/** Checks a request before its body is read: the body must be unread, and its `Content-Length` within the limit. */
export const checkUnread = ({ stream }: BodySource, headers: RequestHeaders, limit: number): void => {
  if (stream.readableDidRead)
    throw new Error('the body was read before it got here: mount this app before any body parser');
  if (stream.errored) throw stream.errored; // the client hung up during authentication
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
};

/** The state of a body while it is being read. */
interface Reading {
  chunks: Buffer[];
  readonly resolve: (value: ExactValue | Promise<ExactValue> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the body of a request, inflates it within the limit and parses it; `undefined` if it is empty. The body is
 * parsed as soon as it ends, so that its bytes are not kept for another turn. Past the limit, the rest stays in the
 * stream: the sender of the reply discards it, so that the client receives the reply.
 */
export const readBody = (
  source: BodySource,
  headers: RequestHeaders,
  limit: number,
  { take }: Share,
  parse: (bytes: Buffer, contentType: string) => ExactValue | Promise<ExactValue>,
): Promise<ExactValue | undefined> =>
  new Promise((resolve, reject) => {
    const encoding = headers['content-encoding'];
    const inflater = encoding === undefined ? undefined : inflaterFor(encoding);
    checkUnread(source, headers, limit);
    // Cleared at the end: the functions below live as long as the request, which waits for the store with nothing to read.
    let reading: Reading | undefined = { chunks: [], resolve, reject };
    let leaveRest = (): void => {};
    let size = 0;
    const fail = (error: unknown): void => {
      const failed = reading;
      reading = undefined;
      leaveRest();
      failed?.reject(error);
    };
    const keep = (chunk: Buffer): void => {
      if (!reading) return;
      try {
        size += chunk.length;
        if (size > limit) throw tooLarge(limit);
        take(chunk.length);
        reading.chunks = addChunk(reading.chunks, chunk);
      } catch (error) {
        fail(error);
      }
    };
    const toValue = (bytes: Buffer): ReturnType<typeof parse> | undefined => {
      checkDigest(headers, bytes);
      if (bytes.length === 0) return undefined;
      const inflated = inflater ? inflater.whole(bytes, limit) : bytes;
      if (inflated !== bytes) take(inflated.length);
      return parse(inflated, headers['content-type'] ?? '');
    };
    const finish = (): void => {
      try {
        reading?.resolve(toValue(joinChunks(reading.chunks)));
        reading = undefined;
      } catch (error) {
        fail(error);
      }
    };
    source.stream.on('error', fail);
    leaveRest = source.takeChunks(keep, finish);
    if (!reading) leaveRest(); // the bytes that had arrived were already too many
  });

import type { IncomingMessage } from 'node:http';
import type { ExactValue } from '@trellis/openapi/json';
import type { Share } from './budget.ts';
import { inflaterFor, tooLarge } from './inflate.ts';

/** Makes of the bytes of a body a value that its schema can validate. */
export type ParseBody = (bytes: Buffer, contentType: string) => ExactValue | Promise<ExactValue>;

/** RFC 9112, section 6.3: without either field there is no body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** What has arrived of a body while nobody read it. */
export interface Unread {
  readonly bytes: Buffer;
  /** Whether it is the whole body. */
  readonly hasEnded: boolean;
}

declare module 'http' {
  interface IncomingMessage {
    /** Takes what has arrived and is not in the stream. Only the requests of our own server have it. */
    takeUnread?(): Unread | undefined;
  }
}

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

/** Receives what Node has parsed of a body: a chunk, or `null` at the end. Node pauses while it returns false. */
type Push = (chunk: Buffer | null) => boolean;

/**
 * Lets a function receive what Node has parsed of a body, in place of the stream, and gives back the one that did so far.
 * V8 keeps a function that is written on the right of `object.name =` until the next major collection, and with it the
 * request. One that is passed in is collected like any other.
 */
export const replacePush = (request: IncomingMessage, receive: Push): Push => {
  const { push } = request;
  request.push = receive;
  return push;
};

/**
 * Passes on the chunks of a request, first those that have arrived. A body does not go through the stream, whose events
 * cost a request some 15 µs, unless somebody else listens to them, too. Gives back the function that leaves the rest to
 * the stream.
 */
const takeChunks = (
  request: IncomingMessage,
  onChunk: (chunk: Buffer) => void,
  onEnd: () => void,
): (() => void) => {
  const unread = request.takeUnread?.();
  if (unread && unread.bytes.length > 0) onChunk(unread.bytes);
  if (unread?.hasEnded) {
    onEnd();
    return () => {};
  }
  for (let chunk: Buffer | null = request.read(); chunk; chunk = request.read()) onChunk(chunk);
  request.on('end', onEnd); // for a stream that has ended already
  const push = replacePush(request, (chunk) => {
    if (chunk) onChunk(chunk);
    else onEnd();
    return request.readableFlowing ? push.call(request, chunk) : true;
  });
  return () => {
    request.push = push;
  };
};

/**
 * Reads the body of a request, inflates it within the limit and parses it; `undefined` if it turns out to be empty. It
 * is parsed as soon as it ends, so that its bytes are not kept for another turn. Past the limit the rest is left in the
 * stream: whoever sends the reply discards it, so that the client gets to see the reply.
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
    const toValue = (bytes: Buffer): ReturnType<ParseBody> | undefined => {
      if (bytes.length === 0) return undefined;
      const inflated = inflate ? inflate(bytes, limit) : bytes;
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
    request.on('error', fail);
    leaveRest = takeChunks(request, keep, finish);
    if (!reading) leaveRest(); // what had arrived was too much already
  });

import type { IncomingMessage } from 'node:http';

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
    /** How many bytes that would be. */
    readonly unreadLength?: number;
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
export const takeChunks = (
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

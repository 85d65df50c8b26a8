import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { overloaded, schemaMismatch } from '../problems/problem.ts';
import type { Share } from './budget.ts';
import { replacePush } from './chunks.ts';
import { follow } from './follow.ts';
import { type Inflater, inflaterFor, tooLarge } from './inflate.ts';

/** Bytes that are read while they arrive. */
export interface Upload {
  /** The bytes, as fast as they are read. What is left unread is dropped. */
  readonly stream: Readable;
  /** The media type that the client sent. */
  readonly mediaType: string;
  /** How many bytes the client has announced; `undefined` if it did not, or sends them compressed. */
  readonly size: number | undefined;
}

declare module 'http' {
  interface IncomingMessage {
    /** What the handler reads the body from, if it is read while it arrives. */
    upload?: Readable;
  }
}

/** The bytes of an upload, and how much memory they take on their way. */
interface Incoming {
  readonly stream: Readable;
  readonly held: () => number;
}

/** Opens the body of a request as a stream of bytes, inflated. `onMove` is called when bytes go into it or out of it. */
const openBytes = (
  request: IncomingMessage,
  { open, malformed, memoryAfter }: Inflater,
  limit: number,
  isRequired: boolean,
  onMove: () => void,
): Incoming => {
  let [sent, inflated] = [0, 0];
  const onBytes = (total: number): void => {
    if (total > limit) throw tooLarge(limit);
  };
  const onEnd = (total: number): void => {
    if (isRequired && total === 0)
      throw schemaMismatch([{ place: 'body', message: 'is required', pointer: '' }]);
  };
  const inflating = open();
  if (!inflating) {
    const stream = follow(request, { inTurns: true, onBytes, onEnd, onMove });
    return { stream, held: () => stream.readableLength };
  }
  const bytes = follow(request, {
    inTurns: true,
    onBytes(total) {
      sent = total;
      onBytes(total);
    },
  });
  // Not by `pipeline`: it destroys `bytes` with the error of `inflating`, as if the client had cut the body off.
  bytes.on('error', (error) => inflating.destroy(error)).pipe(inflating);
  inflating.once('close', () => bytes.destroy());
  const stream = follow(inflating, {
    onBytes(total) {
      inflated = total;
      onBytes(total);
    },
    onEnd(total) {
      if (inflating.bytesWritten < sent) throw malformed(); // something follows the compressed data
      onEnd(total);
    },
    onLeave: () => inflating.destroy(),
    onMove,
    toError: () => bytes.errored ?? malformed(),
  });
  return {
    stream,
    held: () =>
      memoryAfter(inflated) +
      inflating.writableLength +
      [bytes, inflating, stream].reduce((sum, { readableLength }) => sum + readableLength, 0),
  };
};

/** An upload begins if there is room for this many bytes: more than its streams hold if its reader does not read. */
const WINDOW = 163_840;

/** The memory of the streams of an upload beside its bytes. */
const STREAMS = 16_384;

/**
 * Opens the body of a request as a stream of bytes, inflated. It fails once they are more than the limit. It
 * counts the bytes that have arrived and are not read, and fails if there is no room for them.
 */
export const openUpload = (
  request: IncomingMessage,
  limit: number,
  isRequired: boolean,
  share: Share,
): Readable => {
  const inflater = inflaterFor(request.headers['content-encoding'] ?? 'identity');
  if (!share.fits(WINDOW)) throw overloaded();
  const setPart = share.part();
  const count = (arriving = 0): void => {
    if (stream.destroyed) return;
    try {
      setPart(STREAMS + (request.unreadLength ?? 0) + request.readableLength + held() + arriving);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : undefined);
    }
  };
  const { stream, held } = openBytes(request, inflater, limit, isRequired, () => count());
  stream.once('close', () => setPart(0));
  const push = replacePush(request, (chunk) => {
    count(chunk?.length);
    return push.call(request, chunk);
  });
  count();
  return stream;
};

/** Closes the stream of a request's body, if it has one: the reply is there, and nobody reads the rest. */
export const closeUpload = ({ upload }: IncomingMessage): void =>
  void upload?.destroy(new Error('the reply was sent before the body was read to its end'));

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { schemaMismatch } from '../problems/problem.ts';
import { follow } from './follow.ts';
import { inflaterFor, tooLarge } from './inflate.ts';

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

/** The memory that a body takes which is read while it arrives: what is on its way through the streams. */
export const UPLOAD_WINDOW = 131_072;

/** Opens the body of a request as a stream of bytes, inflated. It fails once they are more than the limit. */
export const openUpload = (request: IncomingMessage, limit: number, isRequired: boolean): Readable => {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  const inflater = inflaterFor(encoding);
  let sent = 0;
  const onBytes = (total: number): void => {
    if (total > limit) throw tooLarge(limit);
  };
  const onEnd = (total: number): void => {
    if (isRequired && total === 0)
      throw schemaMismatch([{ place: 'body', message: 'is required', pointer: '' }]);
  };
  const inflating = inflater.open();
  if (!inflating) return follow(request, { inTurns: true, onBytes, onEnd });
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
  return follow(inflating, {
    onBytes,
    onEnd(total) {
      if (inflating.bytesWritten < sent) throw inflater.malformed(); // something follows the compressed data
      onEnd(total);
    },
    onLeave: () => inflating.destroy(),
    toError: () => bytes.errored ?? inflater.malformed(),
  });
};

/** Closes the stream of a request's body, if it has one: the reply is there, and nobody reads the rest. */
export const closeUpload = ({ upload }: IncomingMessage): void =>
  void upload?.destroy(new Error('the reply was sent before the body was read to its end'));

import type { Readable } from 'node:stream';
import type { ExactValue } from '@trellis/openapi/internal/json';
import type { RequestHeaders } from '../parameters/places.ts';
import { overloaded, schemaMismatch } from '../problems/problem.ts';
import type { Share } from './budget.ts';
import { follow } from './follow.ts';
import { type Inflater, inflaterFor, tooLarge } from './inflate.ts';
import { type BodySource, checkUnread } from './read-body.ts';

/** Bytes that are read while they arrive. */
export interface Upload {
  /** The bytes, delivered as fast as they are read. Unread bytes are dropped. */
  readonly stream: Readable;
  /** The media type that the client sent. */
  readonly mediaType: string;
  /** How many bytes the client has announced; `undefined` if it did not, or sends them compressed. */
  readonly size: number | undefined;
}

/** The bytes of an upload, and how much memory they take in its streams. */
interface Incoming {
  readonly stream: Readable;
  readonly held: () => number;
}

/** Opens a body as a stream of bytes, inflated. `onMove` is called when bytes go into it or out of it. */
const openBytes = (
  sent: Readable,
  { open, malformed, memoryAfter }: Inflater,
  limit: number,
  isRequired: boolean,
  onMove: () => void,
): Incoming => {
  let [sentBytes, inflated] = [0, 0];
  const onBytes = (total: number): void => {
    if (total > limit) throw tooLarge(limit);
  };
  const onEnd = (total: number): void => {
    if (isRequired && total === 0)
      throw schemaMismatch([{ place: 'body', message: 'is required', pointer: '' }]);
  };
  const inflating = open();
  if (!inflating) {
    const stream = follow(sent, { inTurns: true, onBytes, onEnd, onMove });
    return { stream, held: () => stream.readableLength };
  }
  const bytes = follow(sent, {
    inTurns: true,
    onBytes(total) {
      sentBytes = total;
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
      if (inflating.bytesWritten < sentBytes) throw malformed(); // something follows the compressed data
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

/** The parts of an exchange that are needed to receive a body. */
export interface BodyExchange {
  readonly request: { readonly headers: RequestHeaders };
  /** `undefined` for a request without a body. */
  readonly body: BodySource | undefined;
  /** The memory of the request. The server releases it after the reply. */
  readonly share: Share;
  /** The body as a stream, for a handler that reads it while it arrives. */
  upload?: Readable | undefined;
}

/** The memory, the limit and the validation for reading a form. */
export interface FormReading {
  readonly share: Share;
  /** How many bytes all fields together may have: they are kept until the form is complete. */
  readonly wholeLimit: number;
  /** Validates the form as a whole, with texts in place of the files, and decodes it. */
  readonly finish: (form: ExactValue) => unknown;
}

/**
 * Opens a body as a stream of bytes, inflated. It fails once they are more than the limit. It counts the bytes that have
 * arrived and are not read, and fails if there is no room for them.
 */
export const openUpload = (
  exchange: BodyExchange,
  source: BodySource,
  limit: number,
  isRequired: boolean,
): Upload => {
  const { request, share } = exchange;
  const {
    'content-type': mediaType = '',
    'content-length': length,
    'content-encoding': encoding,
  } = request.headers;
  checkUnread(source, request.headers, limit);
  const inflater = inflaterFor(encoding ?? 'identity');
  if (!share.fits(WINDOW)) throw overloaded();
  const setPart = share.part();
  const count = (arriving = 0): void => {
    if (stream.destroyed) return;
    try {
      setPart(STREAMS + source.arrived() + held() + arriving);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : undefined);
    }
  };
  const { stream, held } = openBytes(source.stream, inflater, limit, isRequired, () => count());
  stream.once('close', () => setPart(0));
  source.onArrival(count);
  count();
  exchange.upload = stream;
  const size = length === undefined || encoding !== undefined ? undefined : Number(length);
  return { stream, mediaType, size };
};

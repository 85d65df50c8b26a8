import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { hasPositions, sequenceKindOf } from '@trellis/openapi/internal/http';
import type { Reply } from '../requests/call.ts';
import { readParts } from './parts.ts';
import { readSequence } from './sequences.ts';

/** The longest body that is read. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Limits for reading an endless stream. */
const STREAM = { milliseconds: 300, items: 50, bytes: 1024 * 1024 };
/** Interval of checks on a stream, in milliseconds. */
const LOOK_MS = 20;

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Undoes Content-Encoding, which a service may apply to any reply (RFC 9110, section 12.5.3). */
const decode = (body: Buffer, encodings: string, isOpen: boolean): { body: Buffer; fault?: string } => {
  let decoded = body;
  for (const encoding of encodings.split(',').reverse()) {
    const name = encoding.trim().toLowerCase();
    try {
      const flush = name === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
      const options = { maxOutputLength: MOST_BYTES, ...(isOpen && { finishFlush: flush }) };
      if (decoded.length > 0) decoded = DECODERS[name]?.(decoded, options) ?? decoded;
    } catch {
      return { body, fault: `the body is not ${name}, as Content-Encoding says` };
    }
  }
  return { body: decoded };
};

/** Describes bytes after a complete reply (RFC 9112, section 6.3; RFC 9110, sections 6.4.1 and 9.3.2). */
const leftoversOf = ({ statusCode }: IncomingMessage, method: string): string => {
  if (method === 'HEAD') return 'a body, where the answer to a HEAD has none';
  return statusCode === 204 || statusCode === 304
    ? `a body, where ${statusCode} has none`
    : 'bytes follow the end of the reply: it is longer than it says';
};

/**
 * Reads a reply to its end; of a stream only the beginning, in whole items. A truncated or too long reply
 * gets a fault.
 */
export const readReply = (method: string, response: IncomingMessage, done: (reply: Reply) => void) => {
  const { statusCode: status = 0, headers } = response;
  const {
    'content-type': type = '',
    'content-length': declared,
    'content-encoding': encoding = '',
  } = headers;
  const kind = sequenceKindOf(type);
  const hasParts = hasPositions(type);
  const mayBeEndless = declared === undefined && (kind || hasParts);
  const chunks: Buffer[] = [];
  const began = performance.now();
  let lastAt = began;
  let length = 0;
  let isDone = false;

  /** Counts the items that have arrived. An incomplete last part looks like a complete one. */
  const itemsIn = (body: Buffer, isOpen: boolean): { count: number; isCut: boolean } | undefined => {
    if (hasParts) return { count: readParts(type, body, isOpen).parts.length, isCut: false };
    const sequence = kind && readSequence(kind, body.toString('utf8'), isOpen);
    return sequence && { count: sequence.items.length, isCut: sequence.isCut };
  };

  const finish = (fault?: string, isOpen = false): void => {
    if (isDone) return;
    isDone = true;
    clearInterval(looking);
    const read = decode(Buffer.concat(chunks), encoding, isOpen);
    const items = itemsIn(read.body, isOpen)?.count;
    done({
      status,
      headers,
      ...read,
      ...(fault !== undefined && { fault }),
      ...((items !== undefined || isOpen) && { stream: { items: items ?? 0, isOpen } }),
    });
  };

  /** Stops reading a stream once enough has arrived. It may pause, but not in the middle of an item. */
  const look = (): void => {
    const { count = 0, isCut = false } = (encoding === '' && itemsIn(Buffer.concat(chunks), true)) || {};
    const isOver = performance.now() - began > STREAM.milliseconds && !isCut;
    if (!isOver && count < STREAM.items && length < STREAM.bytes) return;
    finish(undefined, true);
    response.destroy();
  };
  const looking = mayBeEndless ? setInterval(look, LOOK_MS) : undefined;

  const received = (): string =>
    declared === undefined ? `${length} bytes` : `${length} of ${declared} bytes`;
  const cutOff = (): string => `the reply was cut off after ${received()} of its body`;

  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    lastAt = performance.now();
    if (length <= MOST_BYTES) return;
    finish(`the reply is longer than ${MOST_BYTES} bytes`);
    response.destroy();
  });
  response.on('error', () => finish(cutOff()));
  response.on('end', () => finish());

  return {
    /** Stops reading, and reports how far the reply came. */
    giveUp: (): string => {
      isDone = true;
      clearInterval(looking);
      response.destroy();
      const now = performance.now();
      const isStalled = now - lastAt > (now - began) / 2;
      return `the reply ${isStalled ? 'stalled' : 'was still coming'} after ${received()} of its body`;
    },
    /** Ends the reply after an error of the parser or the connection. */
    spoil: ({ code = '', message }: NodeJS.ErrnoException): void => {
      if (response.complete) response.prependListener('end', () => finish(leftoversOf(response, method)));
      else finish(code.startsWith('HPE_') ? `the reply is not HTTP (${message})` : cutOff());
    },
  };
};

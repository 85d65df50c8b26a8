import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { hasPositions, sequenceKindOf } from '@trellis/openapi/internal/http';
import type { Reply } from '../requests/call.ts';
import { readParts, readSequence } from './framing.ts';

const MOST_BYTES = 64 * 1024 * 1024;
/** Limits for reading an endless stream. */
const STREAM = { milliseconds: 300, items: 50, bytes: 1024 * 1024 };
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

/** Counts the items of a stream. An incomplete last part looks like a complete one. */
const itemsIn = (
  type: string,
  body: Buffer,
  isOpen: boolean,
): { readonly count: number; readonly isCut: boolean } | undefined => {
  if (hasPositions(type)) return { count: readParts(type, body, isOpen).parts.length, isCut: false };
  const kind = sequenceKindOf(type);
  const sequence = kind && readSequence(kind, body.toString('utf8'), isOpen);
  return sequence && { count: sequence.items.length, isCut: sequence.isCut };
};

/** Whether enough of a stream has arrived. It may pause, but not in the middle of an item. */
const isEnough = (type: string, body: Buffer, milliseconds: number): boolean => {
  const { count = 0, isCut = false } = itemsIn(type, body, true) ?? {};
  const isOver = milliseconds > STREAM.milliseconds && !isCut;
  return isOver || count >= STREAM.items || body.length >= STREAM.bytes;
};

const replyOf = (
  { statusCode: status = 0, headers }: IncomingMessage,
  bytes: Buffer,
  fault: string | undefined,
  isOpen: boolean,
): Reply => {
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = headers;
  const read = decode(bytes, encoding, isOpen);
  const items = itemsIn(type, read.body, isOpen)?.count;
  return {
    status,
    headers,
    ...read,
    ...(fault !== undefined && { fault }),
    ...((items !== undefined || isOpen) && { stream: { items: items ?? 0, isOpen } }),
  };
};

/**
 * Reads a reply to its end; of a stream only the beginning, in whole items. A truncated or too long reply
 * gets a fault.
 */
export const readReply = (method: string, response: IncomingMessage, done: (reply: Reply) => void) => {
  const {
    'content-type': type = '',
    'content-length': declared,
    'content-encoding': encoding = '',
  } = response.headers;
  const chunks: Buffer[] = [];
  const began = performance.now();
  let lastAt = began;
  let length = 0;
  let isDone = false;

  const finish = (fault?: string, isOpen = false): void => {
    if (isDone) return;
    isDone = true;
    clearInterval(looking);
    done(replyOf(response, Buffer.concat(chunks), fault, isOpen));
    if (isOpen) response.destroy();
  };

  const look = (): void => {
    if (isEnough(encoding === '' ? type : '', Buffer.concat(chunks), performance.now() - began))
      finish(undefined, true);
  };
  const mayBeEndless = declared === undefined && (sequenceKindOf(type) || hasPositions(type));
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

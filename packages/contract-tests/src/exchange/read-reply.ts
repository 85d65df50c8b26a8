import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Reply } from '../requests/draft.ts';

/** The longest body that is read. A service may send without end. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Media types of replies that may go on for as long as the service likes. */
const STREAMS =
  /^(?:text\/event-stream|multipart\/x-mixed-replace|application\/(?:x-)?(?:ndjson|jsonl|json-lines|json-seq))\b/i;
/** How long the beginning of a stream is read. */
const STREAM_MS = 300;

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Undoes the encodings of a body. A service may use any, unless it is told not to (RFC 9110, section 12.5.3). */
const decode = (body: Buffer, encodings: string): { body: Buffer; fault?: string } => {
  let decoded = body;
  for (const encoding of encodings.split(',').reverse()) {
    const name = encoding.trim().toLowerCase();
    try {
      if (decoded.length > 0) decoded = DECODERS[name]?.(decoded, { maxOutputLength: MOST_BYTES }) ?? decoded;
    } catch {
      return { body, fault: `the body is not ${name}, as Content-Encoding says` };
    }
  }
  return { body: decoded };
};

/** What follows a reply that is complete (RFC 9112, section 6.3; RFC 9110, section 6.4.1 for 204 and 304). */
const leftoversOf = ({ statusCode }: IncomingMessage): string =>
  statusCode === 204 || statusCode === 304
    ? `a body, where ${statusCode} has none`
    : 'bytes follow the end of the reply: it is longer than it says';

/** Reads a reply until it ends. One that is cut off or has no end has a fault. */
export const readReply = (response: IncomingMessage, done: (reply: Reply) => void) => {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;

  const finish = (fault?: string): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(streaming);
    const { statusCode: status = 0, headers } = response;
    const read = decode(Buffer.concat(chunks), headers['content-encoding'] ?? '');
    done({ status, headers, ...read, ...(fault !== undefined && { fault }) });
  };
  const stop = (fault?: string): void => {
    finish(fault);
    response.destroy();
  };
  const isStream = STREAMS.test(response.headers['content-type'] ?? '');
  const streaming = isStream ? setTimeout(() => stop(), STREAM_MS) : undefined;

  const received = (): string => {
    const declared = response.headers['content-length'];
    return declared === undefined ? `${length} bytes` : `${length} of ${declared} bytes`;
  };

  const cutOff = (): string => `the reply was cut off after ${received()} of its body`;

  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) stop(`the reply is longer than ${MOST_BYTES} bytes`);
  });
  response.on('error', () => finish(cutOff()));
  response.on('end', () => finish());

  return {
    /** Stops reading, and says how far it came. */
    giveUp: (): string => {
      isDone = true;
      response.destroy();
      return received();
    },
    /** Ends the reply because of an error of the parser, or of the connection. */
    spoil: ({ code = '', message }: NodeJS.ErrnoException): void => {
      if (response.complete) response.prependListener('end', () => finish(leftoversOf(response)));
      else finish(code.startsWith('HPE_') ? `the reply is not HTTP (${message})` : cutOff());
    },
  };
};

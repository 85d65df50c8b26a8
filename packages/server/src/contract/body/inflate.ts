import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { codeOf, isTree } from '@trellis/openapi/json';
import { Problem } from '../problems/problem.ts';

/** Undoes a Content-Encoding; throws where the outcome is larger than the limit. */
export type Inflate = (bytes: Buffer, limit: number) => Buffer;

/**
 * Synchronous, so one body at a time: to inflate a body takes no longer than to parse the outcome, and a thousand
 * bodies in the thread pool at once would hold a gigabyte that no budget counts.
 */
const INFLATERS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync], // RFC 9110, section 8.4.1.3
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** The Problem of a body that is larger than the limit. */
export const tooLarge = (limit: number): Problem =>
  new Problem('bodyTooLarge', `the body is larger than ${limit} bytes`);

/**
 * The outcome, if it was made of all bytes: nothing may follow the end of the compressed data. (The types of Node do
 * not know that `info` changes what an inflater returns.)
 */
const outcomeOf = (bytes: Buffer, made: unknown): Buffer | undefined =>
  isTree(made) &&
  isTree(made.engine) &&
  made.engine.bytesWritten === bytes.length &&
  Buffer.isBuffer(made.buffer)
    ? made.buffer
    : undefined;

const leaveAsIs: Inflate = (bytes) => bytes;

/** Finds how to undo a Content-Encoding; throws 415 for one that is not supported. */
export const inflaterFor = (contentEncoding: string): Inflate => {
  const encoding = contentEncoding.toLowerCase();
  if (encoding === 'identity') return leaveAsIs;
  const inflater = INFLATERS.get(encoding);
  if (!inflater)
    throw new Problem(
      'unsupportedMediaType',
      `Content-Encoding ${encoding} is not supported; use gzip, deflate or br`,
    );
  const malformed = () => new Problem('malformedJson', `body is not valid ${encoding}`);
  return (bytes, limit) => {
    let made: unknown;
    try {
      made = inflater(bytes, { maxOutputLength: limit, info: true });
    } catch (error) {
      throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : malformed();
    }
    const inflated = outcomeOf(bytes, made);
    if (!inflated) throw malformed();
    return inflated;
  };
};

import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
  type Zlib,
} from 'node:zlib';
import { codeOf, isTree } from '@trellis/openapi/internal/json';
import { Problem } from '../problems/problem.ts';

/** Undoes a Content-Encoding. */
export interface Inflater {
  /** The bytes of a whole body, inflated; throws where that is larger than the limit. */
  readonly whole: (bytes: Buffer, limit: number) => Buffer;
  /** Makes a stream that inflates; `undefined` if there is nothing to undo. */
  readonly open: () => (Transform & Zlib) | undefined;
  /** The memory of that stream without its buffers, in bytes, after it has produced `inflated` bytes. */
  readonly memoryAfter: (inflated: number) => number;
  readonly malformed: () => Problem;
}

/**
 * Whole bodies are inflated synchronously, so one at a time: to inflate a body takes no longer than to parse the outcome,
 * and a thousand bodies in the thread pool at once would hold a gigabyte that no budget counts.
 */
const GZIP = { inflate: gunzipSync, open: () => createGunzip(), window: 2 ** 15 };
const INFLATERS = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP], // RFC 9110, section 8.4.1.3
  ['deflate', { inflate: inflateSync, open: () => createInflate(), window: 2 ** 15 }],
  ['br', { inflate: brotliDecompressSync, open: () => createBrotliDecompress(), window: 2 ** 24 }],
]);

/** The memory of a stream that inflates, without the window: the latest bytes that it has given. */
const INFLATER_BYTES = 65_536;

/** The Problem of a body that is larger than the limit. */
export const tooLarge = (limit: number): Problem =>
  new Problem('bodyTooLarge', `the body is larger than ${limit} bytes`);

/**
 * Returns the inflated bytes; `undefined` if other data follows the compressed data. (Node's types do not cover the
 * option `info`, which changes the return value.)
 */
const outcomeOf = (bytes: Buffer, made: unknown): Buffer | undefined =>
  isTree(made) &&
  isTree(made.engine) &&
  made.engine.bytesWritten === bytes.length &&
  Buffer.isBuffer(made.buffer)
    ? made.buffer
    : undefined;

/** Finds how to undo a Content-Encoding; throws 415 for one that is not supported. */
export const inflaterFor = (contentEncoding: string): Inflater => {
  const encoding = contentEncoding.toLowerCase();
  const malformed = () => new Problem('malformedJson', `body is not valid ${encoding}`);
  if (encoding === 'identity')
    return { whole: (bytes) => bytes, open: () => undefined, memoryAfter: () => 0, malformed };
  const inflater = INFLATERS.get(encoding);
  if (!inflater)
    throw new Problem(
      'unsupportedMediaType',
      `Content-Encoding ${encoding} is not supported; use gzip, deflate or br`,
    );
  return {
    whole(bytes, limit) {
      let made: unknown;
      try {
        made = inflater.inflate(bytes, { maxOutputLength: limit, info: true });
      } catch (error) {
        throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : malformed();
      }
      const inflated = outcomeOf(bytes, made);
      if (!inflated) throw malformed();
      return inflated;
    },
    open: inflater.open,
    memoryAfter: (inflated) => INFLATER_BYTES + Math.min(inflated, inflater.window),
    malformed,
  };
};

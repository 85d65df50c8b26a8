import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Share } from './budget.ts';
import { Problem } from './problem.ts';

/**
 * One at a time: to inflate a body takes no longer than to parse what comes of it, and a thousand of them on
 * their way at once would hold a gigabyte that no budget knows of.
 */
const INFLATERS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync], // RFC 9110, section 8.4.1.3
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** A chunk has a cost beside its bytes: a body sent a byte at a time must not cost a hundred times its size. */
const MOST_CHUNKS = 64;

const tooLarge = (limit: number) => new Problem('bodyTooLarge', `the body is larger than ${limit} bytes`);

/**
 * Gathers the bytes as they were sent. Past the limit the rest is still read, and dropped: the client is left
 * in a state to see the answer, and the server's request timeout bounds how long that goes on.
 */
const gather = (request: IncomingMessage, limit: number, { take }: Share): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (request.readableDidRead)
      throw new Error('the body was read before it got here: mount this app before any body parser');
    if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
    let chunks: Buffer[] = [];
    let size = 0;
    const keep = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      take(chunk.length);
      chunks.push(chunk);
      if (chunks.length === MOST_CHUNKS) chunks = [Buffer.concat(chunks)];
    };
    // What listens holds what it has gathered, and the request outlives its body by the wait for the store.
    const leave = () => request.off('data', onData).off('end', onEnd).off('error', onError);
    const onData = (chunk: Buffer): void => {
      try {
        keep(chunk);
      } catch (error) {
        leave().resume();
        reject(error);
      }
    };
    const onEnd = (): void => {
      leave();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const onError = (error: Error): void => {
      leave();
      reject(error);
    };
    request.on('data', onData).on('end', onEnd).on('error', onError);
  });

const outgrewLimit = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

type Inflate = (bytes: Buffer, limit: number) => Buffer;

const inflaterFor = (encoding: string): Inflate => {
  if (encoding === 'identity') return (bytes) => bytes;
  const inflater = INFLATERS.get(encoding);
  if (!inflater)
    throw new Problem(
      'unsupportedMediaType',
      `Content-Encoding ${encoding} is not supported; use gzip, deflate or br`,
    );
  return (bytes, limit) => {
    try {
      return inflater(bytes, { maxOutputLength: limit });
    } catch (error) {
      throw outgrewLimit(error)
        ? tooLarge(limit)
        : new Problem('malformedJson', `body is not valid ${encoding}`);
    }
  };
};

/** RFC 9112, section 6.3: without either field there is no body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Reads the body of a request, inflated, within the limit; `undefined` if it turns out to be empty. */
export const readBody = async (
  request: IncomingMessage,
  limit: number,
  share: Share,
): Promise<Buffer | undefined> => {
  const inflate = inflaterFor(request.headers['content-encoding']?.toLowerCase() ?? 'identity');
  const bytes = await gather(request, limit, share);
  if (bytes.length === 0) return undefined;
  const inflated = inflate(bytes, limit);
  if (inflated !== bytes) share.take(inflated.length);
  return inflated;
};

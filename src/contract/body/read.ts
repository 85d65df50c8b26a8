import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { isTree } from '../json/pointer.ts';
import { Problem } from '../problems/problem.ts';
import type { Share } from './budget.ts';

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

const outgrewLimit = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/**
 * What was made of a body, if that was made of all of it: what follows its end is nobody's. (The types of Node do not know
 * what `info` changes.)
 */
const madeOfAll = (bytes: Buffer, made: unknown): Buffer | undefined =>
  isTree(made) &&
  isTree(made.engine) &&
  made.engine.bytesWritten === bytes.length &&
  Buffer.isBuffer(made.buffer)
    ? made.buffer
    : undefined;

type Inflate = (bytes: Buffer, limit: number) => Buffer;

const leaveAsIs: Inflate = (bytes) => bytes;

const inflaterFor = (encoding: string): Inflate => {
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
      throw outgrewLimit(error) ? tooLarge(limit) : malformed();
    }
    const inflated = madeOfAll(bytes, made);
    if (!inflated) throw malformed();
    return inflated;
  };
};

/** RFC 9112, section 6.3: without either field there is no body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** What a body that is being read has to hold on to. */
interface Reading<T> {
  chunks: Buffer[];
  readonly resolve: (value: T | Promise<T> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const joined = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/**
 * Gathers what comes of a body that nobody reads yet, and gives back what to call once somebody does. It is joined, since
 * thousands of tiny chunks would take a hundred times their bytes. No more is read ahead than Node would.
 */
export const gatherBody = (request: IncomingMessage, note: (bytes: number) => void): (() => void) => {
  const { push } = request;
  let chunks: Buffer[] = [];
  let size = 0;
  let hasEnded = false;
  // Whatever Node has parsed it pushes; told that it is too much, it reads no more until somebody reads the request.
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) hasEnded = true;
    else {
      note(chunk.length);
      size += chunk.length;
      chunks.push(chunk);
      if (chunks.length === MOST_CHUNKS) chunks = [Buffer.concat(chunks)];
    }
    return size < request.readableHighWaterMark;
  };
  return () => {
    request.push = push;
    if (chunks.length > 0) request.push(joined(chunks));
    if (hasEnded) request.push(null);
  };
};

/** Waits for something while the body of a request stays unread. What has come of it by then is in memory, and counted. */
export const holdBody = async <T>(
  request: IncomingMessage,
  { take, release }: Share,
  wait: Promise<T>,
): Promise<T> => {
  let goOn = (): void => {};
  const noRoom = new Promise<never>((_resolve, reject) => {
    goOn = gatherBody(request, (bytes) => {
      try {
        take(bytes);
      } catch (error) {
        reject(error);
      }
    });
  });
  try {
    return await Promise.race([wait, noRoom]);
  } finally {
    release(); // whoever reads it counts it again
    goOn();
  }
};

/**
 * Reads the body of a request, inflated, within the limit, and makes of it what `finish` does; `undefined` if it turns
 * out to be empty. Past the limit the rest is still read, and dropped: the client is left in a state to see the
 * answer, and the server bounds how long that goes on.
 */
export const readBody = <T>(
  request: IncomingMessage,
  limit: number,
  { take }: Share,
  finish: (bytes: Buffer) => T | Promise<T>,
): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    if (request.readableDidRead)
      throw new Error('the body was read before it got here: mount this app before any body parser');
    if (request.errored) throw request.errored; // the client hung up while somebody was asked about its credentials
    const inflate = inflaterFor(request.headers['content-encoding']?.toLowerCase() ?? 'identity');
    if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
    // Nothing, once it is over: the request has listeners that hold this, and outlives its body by the wait for the store.
    let reading: Reading<T> | undefined = { chunks: [], resolve, reject };
    let size = 0;
    const keep = (chunk: Buffer, to: Reading<T>): void => {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      take(chunk.length);
      to.chunks.push(chunk);
      if (to.chunks.length === MOST_CHUNKS) to.chunks = [Buffer.concat(to.chunks)];
    };
    const toValue = (bytes: Buffer): T | Promise<T> | undefined => {
      if (bytes.length === 0) return undefined;
      const inflated = inflate(bytes, limit);
      if (inflated !== bytes) take(inflated.length);
      return finish(inflated);
    };
    const fail = (error: unknown): void => {
      const failed = reading;
      reading = undefined;
      failed?.reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      try {
        if (reading) keep(chunk, reading);
      } catch (error) {
        fail(error);
      }
    });
    request.on('end', () => {
      try {
        reading?.resolve(toValue(joined(reading.chunks)));
        reading = undefined;
      } catch (error) {
        fail(error);
      }
    });
    request.on('error', fail);
  });

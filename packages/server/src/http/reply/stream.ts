import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { StreamedPayload } from '@trellis/contract/internal';
import type { ServerExchange } from '../observe/exchange.ts';
import type { StreamEnd, StreamOutcome } from '../observe/metrics.ts';

/** After how many milliseconds without an item something is sent: proxies close connections that are silent. */
const KEEP_ALIVE_AFTER = 15_000;

/** For how many milliseconds all streams together write in one turn of the event loop. */
const TURN = 5;

/** How many waiting streams resume in one turn. Each writes at least one item. */
const STREAMS_PER_TURN = 32;

/**
 * Limits what all streams write in one turn of the event loop. Otherwise a source that never waits, with a client that
 * reads fast, would starve all other work: Node writes to a socket at once, and only then reports that there is room.
 */
const createPace = () => {
  const waiting: (() => void)[] = [];
  let end: number | undefined;
  const begin = (): void => {
    end = waiting.length > 0 ? performance.now() + TURN : undefined;
    for (const goOn of waiting.splice(0, STREAMS_PER_TURN)) goOn();
    if (end !== undefined) setImmediate(begin);
  };
  /** What to await before the next item is written; `undefined` while this turn has time. */
  return (): Promise<void> | undefined => {
    const now = performance.now();
    if (end === undefined) {
      end = now + TURN;
      setImmediate(begin);
    }
    return now < end ? undefined : new Promise((resolve) => waiting.push(resolve));
  };
};

/** One for the process, as its event loop is. */
const untilTurn = createPace();

/** Takes items from a source that can be closed at any time, even while its next item is awaited. */
const openSource = (source: AsyncIterable<unknown>) => {
  const readable = source instanceof ReadableStream ? Readable.fromWeb(source) : source;
  const items = readable[Symbol.asyncIterator]();
  return {
    next: () => items.next(),
    close(): void {
      if (readable instanceof Readable) readable.on('error', () => {}).destroy();
      else Promise.resolve(items.return?.()).catch(() => {}); // the stream is over: its errors no longer matter
    },
  };
};

/** Keeps Node from cutting a connection because there is nothing to send. One whose client reads nothing is still cut. */
const allowSilence = (response: ServerResponse): void =>
  void response.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(socket.timeout ?? 0);
  });

/** A streamed body that is being sent. */
interface Sending extends StreamedPayload {
  readonly response: ServerResponse;
  /** How many bytes the header promises, if it does. */
  readonly length: number | undefined;
  bytes: number;
  isOver: boolean;
  /** Fires when nothing was sent for a while. */
  silence: NodeJS.Timeout | undefined;
  /** Continues a stream that waits for its client to read. */
  resume: () => void;
}

const send = (sending: Sending, chunk: string | Uint8Array): boolean => {
  const { response, length } = sending;
  sending.bytes += Buffer.byteLength(chunk);
  if (length !== undefined && sending.bytes > length)
    throw new Error(`the body is longer than ${length} bytes`);
  return response.write(chunk);
};

const untilDrained = (sending: Sending): Promise<void> =>
  new Promise((resolve) => {
    sending.resume = resolve;
    sending.response.once('drain', resolve);
  });

/**
 * Sends the head and all items. If the first bytes of a file do not come, the head is not sent either: the caller can
 * still send an error. Returns early once the stream is over.
 */
const pump = async (
  sending: Sending,
  next: () => Promise<IteratorResult<unknown>>,
  sendHead: () => void,
): Promise<void> => {
  const { response, isSequence, length, end: tail } = sending;
  const isHead = response.req.method === 'HEAD';
  const first = isSequence || isHead ? undefined : await next();
  if (sending.isOver) return;
  sendHead();
  response.flushHeaders();
  if (isHead) return;
  for (let item = first ?? (await next()); !item.done; item = await next()) {
    await untilTurn();
    if (sending.isOver) return;
    const isRead = send(sending, sending.write(item.value));
    sending.silence?.refresh();
    if (!isRead) await untilDrained(sending);
  }
  if (sending.isOver) return;
  if (length !== undefined && sending.bytes < length)
    throw new Error(`the body ended after ${sending.bytes} of ${length} bytes`);
  if (tail) send(sending, tail());
};

/** Sends something in every silence. */
const keepAlive = (sending: Sending, chunk: string): void => {
  const { response } = sending;
  sending.silence = setTimeout(() => {
    if (response.headersSent && response.writableLength === 0) response.write(chunk);
    sending.silence?.refresh();
  }, KEEP_ALIVE_AFTER).unref();
};

/**
 * Streams a body at the pace of the client, and settles once the stream has ended. An error cuts the connection, so
 * that a client cannot mistake part of a body for the whole. When the client leaves, the source is closed.
 */
export const sendStream = (
  response: ServerResponse,
  exchange: ServerExchange | undefined,
  payload: StreamedPayload,
  length: number | undefined,
  sendHead: () => void,
): Promise<StreamOutcome> =>
  new Promise((resolve) => {
    const { next, close } = openSource(payload.source);
    const { socket, method } = response.req;
    const sending: Sending = {
      ...payload,
      response,
      length,
      bytes: 0,
      isOver: false,
      silence: undefined,
      resume() {},
    };
    const settle = (end: StreamEnd, error?: unknown): void => {
      if (sending.isOver) return;
      sending.isOver = true;
      clearTimeout(sending.silence);
      socket.off('end', leave).off('close', leave);
      sending.resume();
      if (end !== 'complete') exchange?.abort?.abort();
      if (end !== 'complete' || method === 'HEAD') close();
      resolve({ end, bytes: sending.bytes, error });
    };
    /** Handles a client that closed its side: one that waits for events has left. For files, writes detect that. */
    function leave(): void {
      settle('client left');
      response.destroy();
    }
    // A response that waits behind another one is not told that its connection has closed.
    response.once('close', () => settle('client left'));
    socket.once('close', leave);
    allowSilence(response);
    if (payload.isSequence) socket.once('end', leave);
    if (payload.isSequence && exchange)
      exchange.endSequence = () => {
        settle('stopped');
        response.end(payload.end?.());
      };
    if (payload.keepAlive !== undefined) keepAlive(sending, payload.keepAlive);
    const complete = (): void => {
      if (sending.isOver) return;
      settle('complete');
      response.end();
    };
    const fail = (error: unknown): void => {
      if (sending.isOver) return;
      settle('failed', error);
      if (response.headersSent) response.destroy();
    };
    pump(sending, next, sendHead).then(complete, fail);
  });

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeUpload } from '@trellis/contract/internal';
import { exchangeOf } from '../observe/exchange.ts';
import { isShort } from '../reply/reply.ts';
import { hasParser, type ParsedRequest } from './node-http.ts';
import type { Turns } from './turns.ts';

/** The state of an open connection. */
export interface Connection {
  /** The responses to its requests that are not flushed yet, in their order. */
  readonly unanswered: ServerResponse[];
  /** The response to its last request, kept while an answer that follows depends on it. */
  latest: ServerResponse | undefined;
  /** Serves its further requests, each once the request before is answered. */
  readonly pipelined: (() => void)[];
  /** Whether reading is paused until the requests that were read are answered. */
  isPaused: boolean;
  /** Whether nothing more is served on it: it has sent too many requests, or asked for another protocol. */
  isOver: boolean;
}

/** The state of a connection that has sent no request yet. */
export const newConnection = (): Connection => ({
  unanswered: [],
  latest: undefined,
  pipelined: [],
  isPaused: false,
  isOver: false,
});

/** How many bytes are read and discarded: a client that is not far above a limit can finish, and read its answer. */
const MAX_DISCARDED = 4 * 2 ** 20;

/** For how many milliseconds bytes are discarded. */
const DISCARD_FOR = 2000;

/** How many milliseconds a client then has to read its answer before the connection is closed. */
const CLOSE_AFTER = 500;

/**
 * Closes a connection on which more may arrive than was read, with a last answer if there is one. Closing it with unread
 * bytes resets it, and the reset can overtake the answer (RFC 9112, section 9.6). So our side is ended, and some bytes are
 * read and discarded, none of which is parsed; then nothing is read until the client has had time to see the answer.
 */
export const closeInStages = (socket: Duplex, turns: Turns, writeAnswer?: () => string): void => {
  if (socket.destroyed) return;
  if (socket.writable) socket.end(writeAnswer?.());
  let left = MAX_DISCARDED;
  const giveUp = (): void => {
    left = 0;
    socket.pause();
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), CLOSE_AFTER);
  };
  const readOn = (): void =>
    turns.readLater(() => {
      if (left > 0) socket.resume();
    });
  let timer = setTimeout(giveUp, DISCARD_FOR);
  socket.once('close', () => clearTimeout(timer));
  socket
    .removeAllListeners('data')
    .removeAllListeners('end')
    .on('data', (chunk: Buffer) => {
      socket.pause();
      left -= chunk.length;
      if (left > 0) readOn();
      else giveUp();
    });
  readOn();
};

/** Whether every complete request is answered. An incomplete one may need bytes that are not read yet. */
const isServed = ({ unanswered }: Connection): boolean => unanswered.every(({ req }) => !req.complete);

/** Reads on in a later turn, once all requests that were sent are answered. */
const resumeIfServed = (connection: Connection, socket: Socket, turns: Turns): void => {
  if (!isServed(connection)) return;
  connection.isPaused = false;
  turns.readLater(() => {
    Reflect.deleteProperty(socket, 'resume');
    socket.resume();
  });
};

/** Pauses reading. Replaces `resume`, which Node calls whenever a body is read. */
const pauseReading = (connection: Connection, socket: Socket, turns: Turns): void => {
  if (connection.isPaused || socket.destroyed) return;
  connection.isPaused = true;
  socket.pause();
  socket.resume = () => socket;
  resumeIfServed(connection, socket, turns);
};

/** A response to a request whose rest can be dropped, whatever others do with its stream. */
type OwnResponse = ServerResponse<IncomingMessage & { dropRest(): void }>;

/** Notes that a request is answered. References are dropped, so that an idle connection keeps no request in memory. */
export const removeRequest = (connection: Connection, response: OwnResponse, turns: Turns): void => {
  const { req, shouldKeepAlive } = response;
  connection.unanswered.shift(); // this response: they are flushed in their order
  if (shouldKeepAlive) connection.pipelined.shift()?.();
  if (connection.isPaused) resumeIfServed(connection, req.socket, turns);
  if (!req.complete) {
    const exchange = exchangeOf(response);
    if (exchange) closeUpload(exchange);
    if (shouldKeepAlive && isShort(response)) req.dropRest();
    else closeInStages(req.socket, turns);
  }
  if (connection.latest === response && req.complete && shouldKeepAlive) connection.latest = undefined;
};

/** Only load generators pipeline more requests than this. Each one costs some 3 KiB until it is answered. */
const MAX_UNANSWERED = 16;

/** A client that has more requests without an answer is read again once they are answered. */
const MAX_READ_AHEAD = 4;

/** Tells the parser that the bytes after this request are not HTTP. */
const STOP_PARSING = 2;

/** RFC 9110, section 7.8: a server may ignore an Upgrade. This one does. */
const isUpgrade = ({ upgrade, method }: ParsedRequest): boolean => upgrade === true && method !== 'CONNECT';

/**
 * Limits how many requests of a connection may be unanswered. Node pauses a connection only between two reads, and one
 * read of 64 KiB can bring more than 2,000 requests, whose responses would all be in memory. Only a CONNECT makes the
 * parser stop in the middle of a read, so the first request above the limit is turned into one.
 *
 * The same goes for whatever follows an ignored Upgrade: Node drops the rest of the read that brought it, and would
 * take the next bytes for the start of a request.
 */
export const limitRequests = (socket: Socket, connection: Connection, turns: Turns): void => {
  if (!hasParser(socket)) return;
  const { parser } = socket;
  const serve = parser.onIncoming;
  const pause = (): void => pauseReading(connection, socket, turns);
  parser.onIncoming = (request, keepAlive) => {
    if (!connection.isOver && connection.unanswered.length < MAX_UNANSWERED) {
      if (connection.unanswered.length === MAX_READ_AHEAD) process.nextTick(pause); // once this read is parsed
      connection.isOver = isUpgrade(request);
      return serve(request, keepAlive && !connection.isOver);
    }
    connection.isOver = true;
    Object.assign(request, { upgrade: true, method: 'CONNECT' });
    return STOP_PARSING;
  };
};

/** Keeps Node from closing a connection at once whose last request has not been read to its end: `removeRequest` does it. */
export const keepUnread = (socket: Socket, connection: Connection): void => {
  const closeAtOnce = socket.destroySoon;
  socket.destroySoon = () => {
    if (connection.latest?.req.complete !== false) closeAtOnce.call(socket);
  };
};

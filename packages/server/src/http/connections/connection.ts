import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeUpload } from '@trellis/contract/internal';
import { exchangeOf } from '../observe/exchange.ts';
import { closeInStages } from './close.ts';
import { hasParser, type ParsedRequest } from './node-http.ts';
import type { Turns } from './turns.ts';

/** The state of an open connection. */
export interface Connection {
  /** The responses to its last two requests, kept while answers that follow depend on them. */
  latest: ServerResponse | undefined;
  previous: ServerResponse | undefined;
  /** How many of its requests have no answer that is flushed. */
  unanswered: number;
  /** How many requests it sent in the turn of its last request. */
  requestsInTurn: number;
  turn: number;
  /** Whether reading is paused until the requests that were read are answered. */
  isPaused: boolean;
  /** Whether nothing more is served on it: it has sent too many requests, or asked for another protocol. */
  isOver: boolean;
}

/** The state of a connection that has sent no request yet. */
export const newConnection = (): Connection => ({
  latest: undefined,
  previous: undefined,
  unanswered: 0,
  requestsInTurn: 0,
  turn: 0,
  isPaused: false,
  isOver: false,
});

/** Notes a new request of a connection. */
export const addRequest = (connection: Connection, response: ServerResponse): void => {
  connection.previous = connection.latest;
  connection.latest = response;
  connection.unanswered += 1;
};

/** The rest of a longer body, in bytes, is not awaited once its request is answered. */
const MAX_AWAITED = 65_536;

/** A request of our own server, whose body can be dropped. */
export interface OwnRequest extends IncomingMessage {
  /** Drops the rest of the request, whatever others do with its stream. */
  dropRest(): void;
}

/** A response of our own server. */
export type OwnResponse = ServerResponse<OwnRequest>;

/** Whether a connection can continue after this request, once the rest of it has arrived. */
const isShort = (response: ServerResponse): boolean => {
  const { headers } = response.req;
  return (
    !exchangeOf(response)?.upload &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) <= MAX_AWAITED
  );
};

/**
 * Stops reading a request that is answered before its end, until the answer is flushed. `Connection` in the answer
 * announces whether the connection closes then.
 */
export const pauseRest = (response: ServerResponse): void => {
  const { req } = response;
  if (!isShort(response)) response.shouldKeepAlive = false;
  if (req.readableFlowing && !exchangeOf(response)?.upload) req.pause(); // an upload may still be read
};

/** Whether every complete request is answered. An incomplete one may need bytes that are not read yet. */
const isServed = ({ unanswered, latest }: Connection): boolean =>
  unanswered === 0 || (unanswered === 1 && latest?.req.complete === false);

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

/** Notes that a request is answered. References are dropped, so that an idle connection keeps no request in memory. */
export const removeRequest = (connection: Connection, response: OwnResponse, turns: Turns): void => {
  const { req, shouldKeepAlive } = response;
  connection.unanswered -= 1;
  if (connection.isPaused) resumeIfServed(connection, req.socket, turns);
  if (!req.complete) {
    const exchange = exchangeOf(response);
    if (exchange) closeUpload(exchange);
    if (shouldKeepAlive && isShort(response)) req.dropRest();
    else closeInStages(req.socket, turns);
  }
  if (connection.previous === response) connection.previous = undefined;
  else if (connection.latest === response && req.complete && shouldKeepAlive) connection.latest = undefined;
};

/** Only load generators pipeline more requests than this. Each one costs some 3 KiB until it is answered. */
const MAX_UNANSWERED = 16;

/** A client that sends more requests in one turn is paused until these are answered. */
const MAX_REQUESTS_PER_TURN = 4;

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
  const countInTurn = (): void => {
    const turn = turns.current();
    connection.requestsInTurn = connection.turn === turn ? connection.requestsInTurn + 1 : 1;
    connection.turn = turn;
    if (connection.requestsInTurn === MAX_REQUESTS_PER_TURN + 1) process.nextTick(pause); // once this read is parsed
  };
  parser.onIncoming = (request, keepAlive) => {
    if (!connection.isOver && connection.unanswered < MAX_UNANSWERED) {
      countInTurn();
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

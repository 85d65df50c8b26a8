import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { discardRest, MAX_DISCARDED } from './discard.ts';
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
  /** Whether it has sent so much that nothing is read until that is answered. */
  isPaused: boolean;
  /** Whether nothing more is served on it: it has sent too many requests, or asked for another protocol. */
  isOver: boolean;
  /** What has arrived and waits to be parsed. */
  held: Buffer | undefined;
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
  held: undefined,
});

/** Notes a new request of a connection. */
export const addRequest = (connection: Connection, response: ServerResponse): void => {
  connection.previous = connection.latest;
  connection.latest = response;
  connection.unanswered += 1;
};

/**
 * Stops reading a request that is answered before its end, until the answer is flushed. If the rest is too long to be
 * discarded, the answer says that the connection closes.
 */
export const pauseRest = (response: ServerResponse): void => {
  const { req } = response;
  if (Number(req.headers['content-length']) > MAX_DISCARDED) response.shouldKeepAlive = false;
  if (req.readableFlowing && !req.upload) req.pause(); // what the reply is made of may still arrive
};

/** Whether every complete request is answered. An incomplete one may need bytes that are not read yet. */
export const isServed = ({ unanswered, latest }: Connection): boolean =>
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

/** Pauses reading, even though Node calls `resume` whenever somebody begins to read a body. */
const pauseReading = (connection: Connection, socket: Socket, turns: Turns): void => {
  if (connection.isPaused || socket.destroyed) return;
  connection.isPaused = true;
  socket.pause();
  socket.resume = () => socket;
  resumeIfServed(connection, socket, turns);
};

/** Notes that a request is answered. References are dropped, so that an idle connection keeps no request in memory. */
export const removeRequest = (connection: Connection, response: ServerResponse, turns: Turns): void => {
  connection.unanswered -= 1;
  if (connection.isPaused) resumeIfServed(connection, response.req.socket, turns);
  if (!response.req.complete) discardRest(response.req, turns);
  if (connection.previous === response) connection.previous = undefined;
  else if (connection.latest === response && response.req.complete && response.shouldKeepAlive)
    connection.latest = undefined;
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

/**
 * Delays closing a connection whose last request has not been read to its end. Node closes it as soon as the answer is
 * flushed, which resets it, and the reset can overtake the answer (RFC 9112, section 9.6). So only our side is closed
 * until the request has arrived or enough of it is discarded.
 */
export const closeInStages = (socket: Socket, connection: Connection): void => {
  const closeAtOnce = socket.destroySoon;
  socket.destroySoon = () => {
    const request = connection.latest?.req;
    if (request?.complete !== false) return closeAtOnce.call(socket);
    socket.end();
    request.once('close', () => socket.destroy());
  };
};

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { dropRest, MOST_DROPPED } from './drop.ts';
import type { Turns } from './turns.ts';

/** What is known of an open connection. */
export interface Connection {
  /** The responses to its last two requests, for as long as they matter to what follows them. */
  latest: ServerResponse | undefined;
  before: ServerResponse | undefined;
  /** How many of its requests have no answer that has left us. */
  unanswered: number;
  /** How many it has sent in the turn of the event loop in which it sent the last. */
  inTurn: number;
  turn: number;
  /** Whether it has sent much, and no more is read until that is answered. */
  isHeld: boolean;
  /** Whether nothing more of it is served: it has asked for too much, or for another protocol. */
  isOver: boolean;
}

/** A connection that has asked for nothing yet. */
export const newConnection = (): Connection => ({
  latest: undefined,
  before: undefined,
  unanswered: 0,
  inTurn: 0,
  turn: 0,
  isHeld: false,
  isOver: false,
});

/** Another request of a connection is to be answered. */
export const remember = (connection: Connection, response: ServerResponse): void => {
  connection.before = connection.latest;
  connection.latest = response;
  connection.unanswered += 1;
};

/**
 * A request is answered before it was read to its end: until the answer has left us, no more is read. If the rest is too
 * long to be dropped, the answer says that the connection closes.
 */
export const holdRest = (response: ServerResponse): void => {
  const { req } = response;
  if (Number(req.headers['content-length']) > MOST_DROPPED) response.shouldKeepAlive = false;
  if (req.readableFlowing) req.pause();
};

/** Whether all requests are answered that have come whole. The last may want what is not read yet. */
const isServed = ({ unanswered, latest }: Connection): boolean =>
  unanswered === 0 || (unanswered === 1 && latest?.req.complete === false);

/** A connection that has sent much is read on in another turn, once what it has sent is answered. */
const readOnInTurn = (connection: Connection, socket: Socket, turns: Turns): void => {
  if (!isServed(connection)) return;
  connection.isHeld = false;
  turns.readLater(() => {
    Reflect.deleteProperty(socket, 'resume');
    socket.resume();
  });
};

/** No more is read, whoever asks for it: Node does so for each body that somebody begins to read. */
const hold = (connection: Connection, socket: Socket, turns: Turns): void => {
  if (connection.isHeld || socket.destroyed) return;
  connection.isHeld = true;
  socket.pause();
  socket.resume = () => socket;
  readOnInTurn(connection, socket, turns);
};

/** A request of a connection is answered. An idle connection should not hold on to all that was about it. */
export const forget = (connection: Connection, response: ServerResponse, turns: Turns): void => {
  connection.unanswered -= 1;
  if (connection.isHeld) readOnInTurn(connection, response.req.socket, turns);
  if (!response.req.complete) dropRest(response.req, turns);
  if (connection.before === response) connection.before = undefined;
  else if (connection.latest === response && response.req.complete && response.shouldKeepAlive)
    connection.latest = undefined;
};

/** Load generators aside, nobody sends more requests ahead of their answers; each costs some 3 KiB until then. */
const MAX_UNANSWERED = 16;

/** A client that sends more in one turn of the event loop has the rest read in another, once these are answered. */
const MAX_IN_TURN = 4;

/** A request, as the parser hands it on. */
type Parsed = IncomingMessage & { readonly upgrade?: boolean };

/** Of the parser that Node gives to a socket, the one thing that is needed here: where it hands on requests. */
interface Parser {
  onIncoming: (request: Parsed, keepAlive: boolean) => number;
}

const hasParser = (socket: Socket): socket is Socket & { parser: Parser } =>
  'parser' in socket &&
  typeof socket.parser === 'object' &&
  socket.parser !== null &&
  'onIncoming' in socket.parser &&
  typeof socket.parser.onIncoming === 'function';

/** To the parser: what follows is no HTTP, and none of your business. */
const STOP_PARSING = 2;

/** RFC 9110, section 7.8: an Upgrade may be ignored, and is here. */
const asksForAnotherProtocol = ({ upgrade, method }: Parsed): boolean =>
  upgrade === true && method !== 'CONNECT';

/**
 * Lets no more than so many requests wait for their answers. Node itself pauses a connection only between two reads,
 * and a single read of 64 KiB can bring more than 2,000 requests, whose responses would all be held. Only for a CONNECT
 * does it stop in the middle of one: so that is what the first of too many is made to look like.
 *
 * So is whatever follows an Upgrade that was ignored: Node drops what came with it in one read, and would take the rest
 * of that for the next request.
 */
export const limitRequests = (socket: Socket, connection: Connection, turns: Turns): void => {
  if (!hasParser(socket)) return;
  const { parser } = socket;
  const serve = parser.onIncoming;
  const holdThis = (): void => hold(connection, socket, turns);
  const countInTurn = (): void => {
    const turn = turns.current();
    connection.inTurn = connection.turn === turn ? connection.inTurn + 1 : 1;
    connection.turn = turn;
    if (connection.inTurn === MAX_IN_TURN + 1) process.nextTick(holdThis); // once all of this read is parsed
  };
  parser.onIncoming = (request, keepAlive) => {
    if (!connection.isOver && connection.unanswered < MAX_UNANSWERED) {
      countInTurn();
      connection.isOver = asksForAnotherProtocol(request);
      return serve(request, keepAlive && !connection.isOver);
    }
    connection.isOver = true;
    Object.assign(request, { upgrade: true, method: 'CONNECT' });
    return STOP_PARSING;
  };
};

/**
 * Node closes a connection as soon as its last answer has left us. Where the request has not been read to its end, that is
 * a reset, which can overtake the answer (RFC 9112, section 9.6): so only our side is closed until it has, or until
 * enough of it has been dropped.
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

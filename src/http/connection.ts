import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of an open connection. */
export interface Connection {
  /** The responses to its last two requests. */
  latest: ServerResponse | undefined;
  before: ServerResponse | undefined;
  /** How many of its requests have no answer that has left us. */
  unanswered: number;
}

/** Load generators aside, nobody sends more requests ahead of their answers; each costs some 3 KiB until then. */
const MAX_UNANSWERED = 16;

/** Of the parser that Node gives to a socket, the one thing that is needed here: where it hands on requests. */
interface Parser {
  onIncoming: (request: IncomingMessage, keepAlive: boolean) => number;
}

const hasParser = (socket: Socket): socket is Socket & { parser: Parser } =>
  'parser' in socket &&
  typeof socket.parser === 'object' &&
  socket.parser !== null &&
  'onIncoming' in socket.parser &&
  typeof socket.parser.onIncoming === 'function';

/** To the parser: what follows is another protocol, none of your business. The only way to make it stop in mid-read. */
const STOP_PARSING = 2;

/**
 * Refuses a request that comes on top of too many unanswered ones. Node itself pauses a connection only between two
 * reads, and a single read of 64 KiB can bring more than 2,000 requests, whose responses would all be held.
 */
export const limitUnanswered = (
  socket: Socket,
  connection: Connection,
  refuse: (message: string) => void,
): void => {
  if (!hasParser(socket)) return;
  const { parser } = socket;
  const serve = parser.onIncoming;
  parser.onIncoming = (request, keepAlive) => {
    if (connection.unanswered < MAX_UNANSWERED) return serve(request, keepAlive);
    Object.assign(request, { upgrade: true });
    process.nextTick(
      refuse,
      `${MAX_UNANSWERED} requests of this connection wait for their answers; read those first`,
    );
    return STOP_PARSING;
  };
};

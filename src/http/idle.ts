import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';

/** Of the parser that Node gives to a socket: for how long it has been busy with a request, 0 between two of them. */
interface Parser {
  duration: () => number;
}

const hasParser = (socket: Socket): socket is Socket & { parser: Parser } =>
  'parser' in socket &&
  typeof socket.parser === 'object' &&
  socket.parser !== null &&
  'duration' in socket.parser &&
  typeof socket.parser.duration === 'function';

/** Whether nothing of a request has arrived that is not answered, and all of its answers have left us. */
export const isBetweenRequests = (socket: Socket, { unanswered }: Connection): boolean => {
  if (unanswered > 0 || socket.writableLength > 0) return false;
  // To Node a connection that has sent nothing is not idle, but busy with a header.
  return socket.bytesRead === 0 || (hasParser(socket) && socket.parser.duration() === 0);
};

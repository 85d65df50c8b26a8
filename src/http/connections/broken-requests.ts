import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../../contract/problems/problem.ts';
import type { Watch } from '../observe/watch.ts';
import { problemReply } from '../reply/reply.ts';
import type { Connection } from './connection.ts';
import { dropAll } from './drop.ts';
import { STATUS_CODES } from './node-http.ts';
import type { Turns } from './turns.ts';

/** Node's reasons for giving up on a request before there is one. */
const toProblem = (error: Error): Problem => {
  switch ('code' in error && error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headersTooLarge', 'the request headers are too large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('bodyTooLarge', 'the chunk extensions of the body are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('requestTimeout', 'the request did not arrive in time');
    default:
      return new Problem('malformedHttp', 'the request is not well-formed HTTP');
  }
};

const serialize = (problem: Problem, id: string): string => {
  const { status, headers, payload } = problemReply(problem);
  const fields = Object.entries({ ...headers, 'X-Request-Id': id, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n${payload}`;
};

/** Says goodbye, and closes once the client had time to take the answer in. */
const part = (socket: Duplex, turns: Turns, writeAnswer?: () => string): void => {
  if (socket.destroyed) return;
  if (socket.writable) socket.end(writeAnswer?.());
  dropAll(socket, turns);
};

const ignore = (): void => {};

/**
 * A connection is handed over to us because it asked for that, or because it is over. The latter gets the answers that it
 * waits for and no other: what was not answered may be asked again on another connection (RFC 9112, section 9.3.2).
 */
const handedOver = (connection: Connection | undefined): Problem | undefined =>
  connection?.isOver ? undefined : new Problem('malformedHttp', 'CONNECT is for proxies; this is none');

/**
 * Answers, in the Error shape, what never became a request: garbage, headers too large, a client too slow. Such an
 * answer waits for those to the requests before it, which is why it asks for the last of a connection.
 */
export const answerBrokenRequests = (
  server: Server,
  connections: ReadonlyMap<Duplex, Connection>,
  watch: Watch,
  turns: Turns,
): void => {
  const broken = new WeakSet<Duplex>();

  const refuse = (socket: Duplex, problem: Problem | undefined): void => {
    if (broken.has(socket)) return;
    broken.add(socket);
    // Nothing more of it is parsed: what was refused as too slow must not be served when the rest arrives.
    socket.removeAllListeners('data').removeAllListeners('end').on('data', ignore);
    socket.pause(); // until the answer is written
    socket.on('error', ignore); // the client hung up, which is fine by now
    socket.on('timeout', () => socket.destroy()); // it does not read; of a CONNECT, Node no longer minds that
    const { latest, before } = connections.get(socket) ?? {};
    const cutShort = latest?.req.complete === false ? latest : undefined; // it broke in the body of this one,
    const isAnswered = () => cutShort?.headersSent === true; // which may have been refused by its header alone
    const ahead = cutShort && !isAnswered() ? before : latest;
    const isOver = () => ahead?.shouldKeepAlive === false; // it was told that nothing follows
    const write = problem && (() => serialize(problem, watch.refuse(problem, cutShort)));
    const answer = () => part(socket, turns, isAnswered() || isOver() ? undefined : write);
    if (!ahead || ahead.writableFinished) answer();
    else ahead.once('close', answer);
  };

  server.on('clientError', (error, socket) => refuse(socket, toProblem(error)));
  server.on('connect', (_request, socket) => refuse(socket, handedOver(connections.get(socket))));
};

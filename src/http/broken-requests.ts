import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../contract/problem.ts';
import { toWire } from './reply.ts';

/** How long the rest of a broken request is read and dropped, in milliseconds. */
const LINGER = 1000;

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

const serialize = (problem: Problem): string => {
  const { status, headers, text } = toWire(problem);
  const fields = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n${text}`;
};

/** Says goodbye. A socket closed over unread bytes is reset, and the reset can overtake our answer: so it lingers. */
const answer = (socket: Duplex, problem: Problem): void => {
  if (!socket.writable) return void socket.destroy();
  socket.end(serialize(problem));
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
};

/**
 * Answers, in the Error shape, what never became a request: garbage, headers too large, a client too slow. The
 * one to ask for the last response that a socket was given must be told of each (`latest`), because an answer
 * must not overtake those to the requests before.
 */
export const answerBrokenRequests = (
  server: Server,
  latest: (socket: Duplex) => ServerResponse<IncomingMessage> | undefined,
): void => {
  const broken = new WeakSet<Duplex>();

  server.on('clientError', (error, socket) => {
    if (broken.has(socket)) return; // whatever else arrives while it lingers
    broken.add(socket);
    const response = latest(socket);
    const answerNow = () => answer(socket, toProblem(error));
    if (!response) answerNow();
    else if (response.req.complete) {
      if (response.writableFinished) answerNow();
      else response.once('close', answerNow);
    } else if (response.headersSent) socket.destroy();
    else answerNow();
  });

  server.on('connect', (_request, socket) =>
    answer(socket, new Problem('malformedHttp', 'CONNECT is for proxies; this is none')),
  );
};

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '@trellis/contract';
import type { WireReply } from '@trellis/contract/internal';
import { codeOf } from '@trellis/openapi/internal/json';
import { exchangeOf } from '../observe/exchange.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import { type Connection, closeInStages } from './connection.ts';
import { STATUS_CODES } from './node-http.ts';
import type { Turns } from './turns.ts';

/** The Problem for Node's reason to give up on a request. */
const toProblem = (error: Error): Problem => {
  switch (codeOf(error)) {
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

const serialize = (id: string, { status, headers, payload }: WireReply): string => {
  const fields = Object.entries({ ...headers, 'X-Request-Id': id, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n${payload}`;
};

const ignore = (): void => {};

/** How many bytes a second an upload must bring once it takes longer than other requests may. */
const SLOWEST_UPLOAD = 500;

/** How often it is looked whether the handler waits for an upload, while one window passes. */
const LOOKS = 30;

/**
 * Calls back once an upload has brought too little while its handler has waited for it for as long as a whole request may
 * take. The time in which the handler does not read is not the client's.
 */
const watchUpload = (request: IncomingMessage, time: number, onTooSlow: () => void): void => {
  const { socket } = request;
  const enough = (SLOWEST_UPLOAD * time) / 1000;
  let [before, waits] = [socket.bytesRead, 0];
  const look = (): void => {
    if (!request.isPaused()) waits += 1;
    const isTooSlow = waits === LOOKS && socket.bytesRead - before < enough;
    if (waits === LOOKS) [before, waits] = [socket.bytesRead, 0];
    if (isTooSlow || request.complete || socket.destroyed) clearInterval(timer);
    if (isTooSlow && !request.complete && !socket.destroyed) onTooSlow();
  };
  const timer = setInterval(look, time / LOOKS).unref();
};

/**
 * The Problem for a CONNECT. A connection that is over gets none: limitRequests made a CONNECT of its request. It gets
 * the answers that it still waits for; the client may send the other requests again on a new connection (RFC 9112,
 * section 9.3.2).
 */
const connectProblem = (connection: Connection | undefined): Problem | undefined =>
  connection?.isOver ? undefined : new Problem('malformedHttp', 'CONNECT is for proxies; this is none');

/**
 * Answers, in the general shape of errors, what Node cannot parse into a request: malformed HTTP, headers that are too large,
 * clients that are too slow. The answer waits until all earlier requests of the connection are answered.
 */
export const answerBrokenRequests = (
  server: Server,
  connections: ReadonlyMap<Duplex, Connection>,
  observer: RequestObserver,
  turns: Turns,
): void => {
  const broken = new WeakSet<Duplex>();

  const answerProblem = (socket: Duplex, problem: Problem | undefined): void => {
    if (broken.has(socket)) return;
    broken.add(socket);
    // Parse nothing more: the rest of a request that was refused as too slow must not be served.
    socket.removeAllListeners('data').removeAllListeners('end').on('data', ignore);
    socket.pause(); // until the answer is written
    socket.on('error', ignore); // the client hung up, which no longer matters
    socket.on('timeout', () => socket.destroy()); // the client does not read; after a CONNECT Node ignores that
    const { latest, unanswered } = connections.get(socket) ?? {};
    // The request whose body is broken, if any. It may have been answered already, by its header alone.
    const interrupted = latest?.req.complete === false ? latest : undefined;
    const isAnswered = () => interrupted?.headersSent === true;
    const ahead = interrupted && !isAnswered() ? unanswered?.at(-2) : latest;
    const isClosing = () => ahead?.shouldKeepAlive === false; // the client was told that no answer follows
    const write =
      problem &&
      ((): string => {
        const { id, reply } = observer.replyToUnparsed(problem, interrupted);
        return serialize(id, reply);
      });
    const answer = () => closeInStages(socket, turns, isAnswered() || isClosing() ? undefined : write);
    if (!ahead || ahead.writableFinished) answer();
    else ahead.once('close', answer);
  };

  /** Answers a request that takes too long. Node reports it only once, and leaves the reply to the listener. */
  const onClientError = (error: Error, socket: Duplex): void => {
    const latest = connections.get(socket)?.latest;
    const request = latest?.req;
    const isUpload = latest !== undefined && exchangeOf(latest)?.upload !== undefined;
    const answerNow = (): void => answerProblem(socket, toProblem(error));
    if (codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && isUpload && request?.complete === false)
      watchUpload(request, server.requestTimeout, answerNow);
    else answerNow();
  };

  server.on('clientError', onClientError);
  server.on('connect', (_request, socket) => answerProblem(socket, connectProblem(connections.get(socket))));
};

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@trellis/contract';
import { noSuchPath } from '@trellis/contract/internal/handlers';
import type { Express } from 'express';
import { limitBacklog, portOf } from './connections/backlog.ts';
import { answerBrokenRequests } from './connections/broken-requests.ts';
import { type Connection, keepUnread, limitRequests, newConnection } from './connections/connection.ts';
import { type BodyMessage, createMessageClasses, type MessageClasses } from './connections/messages.ts';
import { createServer } from './connections/node-http.ts';
import { createRequestQueue } from './connections/request-queue.ts';
import { type StopOptions, stopServer } from './connections/stop.ts';
import { createTurns } from './connections/turns.ts';
import type { RequestObserver } from './observe/request-observer.ts';
import { sendError } from './reply/reply.ts';

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** For the header of a request. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** Without reading any part of a reply. */
  readonly stalled: number;
}

/** Load balancers usually close idle connections after 60 s. Ours last longer, so that requests meet no closed one. */
const DEFAULTS: Timeouts = { headers: 10_000, request: 30_000, idle: 65_000, stalled: 60_000 };

/** An idle connection costs some 20 KiB. */
const MAX_CONNECTIONS = 10_000;

/** How many connections may wait to be accepted. The system caps this (net.core.somaxconn). */
const BACKLOG = 4096;

/** An Express app, as a parent app sees it. */
type Handle = (incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * RFC 9110, section 7.2, with the host of RFC 3986, section 3.2.2. Node joins two of them by `, `, which never matches.
 */
const HOST = /^(?:\[[\w:.~!$&'()*+,;=-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** RFC 9112, section 6.1. Node would treat either as plain chunked. */
const checkTransferEncoding = (codings: string, httpVersion: string): string | undefined => {
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
  return codings.toLowerCase() === 'chunked'
    ? undefined
    : 'this Transfer-Encoding is not supported; use chunked';
};

/** Above its own limit Node drops header fields silently. No real client sends as many as ours. */
const MAX_FIELDS = 1000;

/** Checks the rules for a request header that Node leaves to the server. Returns the first violation. */
const checkHeader = ({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined => {
  if (rawHeaders.length > 2 * MAX_FIELDS)
    return new Problem('headersTooLarge', `the request has more than ${MAX_FIELDS} header fields`);
  const { host, 'transfer-encoding': codings } = headers;
  const fault = codings === undefined ? undefined : checkTransferEncoding(codings, httpVersion);
  if (fault !== undefined) return new Problem('malformedHttp', fault);
  // RFC 9112, section 3.2.
  if (host === undefined ? httpVersion !== '1.1' : HOST.test(host)) return undefined;
  return new Problem('malformedHttp', 'an HTTP/1.1 request needs one Host header, with a host in it');
};

const answerBadHeader = (response: ServerResponse, problem: Problem): void => {
  response.shouldKeepAlive = false; // it is not certain where such a request ends
  sendError(response, problem);
};

const listen = (server: Server, port: number, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, BACKLOG, () => {
      server.off('error', reject);
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`);
    });
  });

/** Creates a server of Node, and sets the limits that its options do not have. */
const createNodeServer = (classes: MessageClasses, { headers, request, idle, stalled }: Timeouts) => {
  const server = createServer({
    ...classes,
    headersTimeout: Math.min(headers, request), // Node refuses more than requestTimeout
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.min(1000, headers / 2),
    joinDuplicateHeaders: true, // Node would silently drop the second of two
    requireHostHeader: false, // checkHeader does it, with a body in the answer
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = 0; // Node would silently drop fields; checkHeader limits their number
  server.timeout = stalled;
  // A client may close its side after its request; Node would hang up without an answer.
  return Object.assign(server, { httpAllowHalfOpen: true });
};

/** Creates a server for an app. Every wait has a limit, and every request that does not reach the app is refused. */
export const createHttpServer = (
  app: Express,
  observer: RequestObserver,
  timeouts: Partial<Timeouts> = {},
) => {
  const connections = new Map<Socket, Connection>();
  const turns = createTurns();
  const classes = createMessageClasses(app, connections, turns);
  const server = createNodeServer(classes, { ...DEFAULTS, ...timeouts });
  const handle: Handle = app;
  // Express runs no middleware for a target without a path; without a callback it would answer in HTML.
  const admit = createRequestQueue(
    (incoming, response) =>
      handle(incoming, response, (error) => sendError(response, error ?? noSuchPath(incoming.url))),
    turns,
  );
  const serve = (incoming: BodyMessage, response: ServerResponse): void => {
    const exchange = observer.receive(incoming, response, incoming);
    const problem = checkHeader(incoming);
    if (problem) answerBadHeader(response, problem);
    else admit(exchange, connections.get(incoming.socket));
  };
  server.on('request', serve);
  // RFC 9110, section 10.1.1: an unknown expectation may be ignored. 100 Continue is sent once the body is read, so
  // that a client whose header is refused sends no body.
  server.on('checkExpectation', serve);
  server.on('checkContinue', (incoming: BodyMessage, response: ServerResponse) => {
    incoming.beforeFirstRead = () => {
      if (!response.headersSent) response.writeContinue();
    };
    serve(incoming, response);
  });
  const endLimit = limitBacklog(server, turns, BACKLOG);
  server.on('connection', (socket) => {
    turns.noteConnection();
    socket.setMaxListeners(0); // each of its requests may wait for its end; limitRequests bounds them
    const connection = newConnection();
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      for (const serve of connection.pipelined.splice(0)) serve(); // they need no answer any more
    });
    limitRequests(socket, connection, turns);
    keepUnread(socket, connection);
  });
  answerBrokenRequests(server, connections, observer, turns);

  return {
    server,
    /** Starts to listen, and gives the URL; with port 0 the system chooses one. */
    listen: (port: number, host: string) => listen(server, port, host),
    /**
     * Keeps serving for `drain` milliseconds, then stops accepting. Settles once all accepted requests are answered, or
     * `grace` milliseconds later.
     */
    stop: (grace = 10_000, drain = 0, group?: StopOptions['group']): Promise<void> =>
      stopServer(server, connections, { drain, grace, group, endLimit }),
  };
};

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { Problem } from '../contract/problems/problem.ts';
import { answerBrokenRequests } from './connections/broken-requests.ts';
import {
  type Connection,
  closeInStages,
  forget,
  limitRequests,
  newConnection,
  remember,
} from './connections/connection.ts';
import { faultInHead } from './connections/head-rules.ts';
import { createServer } from './connections/node-http.ts';
import { createMessageClasses } from './connections/prototypes.ts';
import { createRequestQueue } from './connections/request-queue.ts';
import { stopServer } from './connections/stop.ts';
import { createTurns } from './connections/turns.ts';
import { isProbe } from './observe/probes.ts';
import type { Watch } from './observe/watch.ts';
import { nothingAt, sendError } from './reply/reply.ts';

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** For the header of a request. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** To take in a reply, or any part of it. */
  readonly stalled: number;
}

/** Idle connections outlive those of the usual load balancers (60 s), so that it is not we who close under them. */
const DEFAULTS: Timeouts = { headers: 10_000, request: 30_000, idle: 65_000, stalled: 60_000 };

/** An idle connection costs some 20 KiB. */
const MAX_CONNECTIONS = 10_000;

/** How many connections may wait to be taken in. The system cuts this to its own bound (net.core.somaxconn). */
const BACKLOG = 4096;

/** A server for an app. */
export interface HttpServer {
  readonly server: Server;
  /** Starts to listen and tells where; port 0 lets the system choose. */
  listen(port: number, host: string): Promise<string>;
  /**
   * Serves on for `drain` milliseconds, 0 by default, then stops accepting, and settles once what was accepted is
   * answered, or `grace` milliseconds more have passed.
   */
  stop(grace?: number, drain?: number): Promise<void>;
}

/** An Express app, as a parent app sees it. */
type Handle = (incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Express runs no middleware for a target in which it finds no path; without this it would answer in HTML. */
const lastWord = (incoming: IncomingMessage, response: ServerResponse) => (error?: unknown) =>
  sendError(response, error ?? nothingAt(incoming.url ?? ''));

const refuseHead = (response: ServerResponse, fault: Problem): void => {
  response.shouldKeepAlive = false; // where such a request ends, nobody can be sure
  sendError(response, fault);
};

const listen = (server: Server, port: number, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, BACKLOG, () => {
      server.off('error', reject);
      const address = server.address();
      const actual = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });

/** Makes a server for an app: every answer in the Error shape if it is an error, every wait bounded. */
export const createHttpServer = (
  app: Express,
  watch: Watch,
  timeouts: Partial<Timeouts> = {},
): HttpServer => {
  const { headers, request, idle, stalled } = { ...DEFAULTS, ...timeouts };
  const connections = new Map<Socket, Connection>();
  const turns = createTurns();
  const noteAsked = (response: ServerResponse, socket: Socket): void => {
    const connection = connections.get(socket);
    if (connection) remember(connection, response);
  };
  const noteAnswered = (response: ServerResponse, socket: Socket): void => {
    const connection = connections.get(socket);
    if (connection) forget(connection, response, turns);
  };
  const options = {
    ...createMessageClasses(app, noteAsked, noteAnswered),
    headersTimeout: Math.min(headers, request), // Node insists
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.min(1000, headers / 2),
    joinDuplicateHeaders: true, // Node would take the first of two and drop the other, whatever it is
    requireHostHeader: false, // Node's own answer has no body; ours is below
  };
  const handle: Handle = app;
  const queue = createRequestQueue(
    (incoming, response) => handle(incoming, response, lastWord(incoming, response)),
    sendError,
    isProbe,
    turns,
  );
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const exchange = watch.open(incoming, response);
    const fault = faultInHead(incoming);
    const isPipelined = (connections.get(incoming.socket)?.unanswered ?? 0) > 1;
    if (fault === undefined) queue.admit(incoming, response, exchange, isPipelined);
    else refuseHead(response, fault);
  };
  const server = createServer(options, serve);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = 0; // no field is dropped unseen; how many there may be is a rule for the head
  server.timeout = stalled;
  server.on('connection', (socket) => {
    turns.noteConnection();
    const connection = newConnection();
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    limitRequests(socket, connection, turns);
    closeInStages(socket, connection);
  });
  // A client may close its side once it has asked; Node would hang up on it unanswered.
  Object.assign(server, { httpAllowHalfOpen: true });
  // RFC 9110, section 10.1.1: an expectation that is not known may be ignored. A client that asks before it sends its body
  // is told to go on when somebody wants that: whoever is refused by the header alone sends none.
  server.on('checkExpectation', serve);
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    incoming.on('newListener', function goOn(event) {
      if (event !== 'data') return;
      incoming.off('newListener', goOn);
      response.writeContinue();
    });
    serve(incoming, response);
  });
  answerBrokenRequests(server, connections, watch, turns);

  return {
    server,
    listen: (port, host) => listen(server, port, host),
    stop: (grace = 10_000, drain = 0) => stopServer(server, connections, { drain, grace }),
  };
};

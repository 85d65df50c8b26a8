import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type Express } from 'express';
import { Problem } from '../contract/problem.ts';
import { answerBrokenRequests, type LastResponses } from './broken-requests.ts';
import { send, toProblem } from './reply.ts';

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

/**
 * Express gives every request and response another prototype as it comes in, which costs V8 more than all the
 * rest of Express does. Born with the prototypes that the app wants, they are left as they are.
 */
const birthClasses = (app: Express, onResponse: (response: ServerResponse, socket: Duplex) => void) => {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse<Request> {
    constructor(request: Request) {
      super(request);
      onResponse(this, request.socket);
    }
  }
  for (const source of [express.request, app.request])
    Object.defineProperties(Request.prototype, Object.getOwnPropertyDescriptors(source));
  for (const source of [express.response, app.response])
    Object.defineProperties(Response.prototype, Object.getOwnPropertyDescriptors(source));
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
};

/** An Express app, as a parent app sees it. */
type Handle = (incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Express runs no middleware for a target in which it finds no path; without this it would answer in HTML. */
const lastWord = (incoming: IncomingMessage, response: ServerResponse) => (error?: unknown) =>
  send(response, error ? toProblem(error) : new Problem('noSuchPath', `there is nothing at ${incoming.url}`));

/** The open connections of a server. */
const connections = new WeakMap<Server, Set<Socket>>();

/** Makes a server for an app: every answer in the Error shape if it is an error, every wait bounded. */
export const createHttpServer = (app: Express, timeouts: Partial<Timeouts> = {}): Server => {
  const { headers, request, idle, stalled } = { ...DEFAULTS, ...timeouts };
  const lastResponses = new WeakMap<Duplex, LastResponses>();
  const options = {
    ...birthClasses(app, (response, socket) =>
      lastResponses.set(socket, [response, lastResponses.get(socket)?.[0]]),
    ),
    headersTimeout: Math.min(headers, request), // Node insists
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.min(1000, headers / 2),
    requireHostHeader: false, // Node's own answer has no body; ours is below
  };
  const handle: Handle = app;
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    // RFC 9112, section 3.2
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1')
      send(response, new Problem('malformedHttp', 'an HTTP/1.1 request needs a Host header'));
    else handle(incoming, response, lastWord(incoming, response));
  };
  const server = createServer(options, serve);
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = stalled;
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // A client may close its side once it has asked; Node would hang up on it unanswered.
  Object.assign(server, { httpAllowHalfOpen: true });
  // RFC 9110, section 10.1.1: an expectation that is not known may be ignored.
  server.on('checkExpectation', serve);
  answerBrokenRequests(server, (socket) => lastResponses.get(socket) ?? []);
  return server;
};

/** Starts to listen and tells where; port 0 lets the system choose. */
export const listen = (server: Server, port: number, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const actual = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });

/** Stops accepting, and settles once what was accepted is answered, or `grace` milliseconds have passed. */
export const stopServer = (server: Server, grace = 10_000): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), grace);
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(sweep);
      resolve();
    });
    // To Node these are not idle, but busy with a header.
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  });

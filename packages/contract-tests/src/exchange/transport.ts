import { Agent, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { addHeaders, type Reply, type WireRequest } from '../requests/call.ts';
import { createIdleCare, holdBack, sendPieces } from './connections.ts';
import { readReply } from './read-reply.ts';

/** No answer came; the message is an error code such as `ECONNREFUSED`, or a phrase. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly isAway: boolean;
  readonly isTimeout: boolean;

  constructor(reason: string, isTimeout = false) {
    super(reason);
    this.isAway = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(reason);
    this.isTimeout = isTimeout;
  }
}

/** Thrown instead of sending a request once the run, or the current subject, must stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** How requests are sent. */
export interface TransportOptions {
  /** How long to wait for the end of a reply: 10 s by default. */
  readonly timeoutMs?: number | undefined;
  /** A reply that takes longer than this is a failure, except replies to HTTP probes. */
  readonly maxResponseTimeMs?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  /** Sent with every request that does not set them. */
  readonly headers?: WireRequest['headers'];
}

const isInChunks = ({ headers }: Pick<WireRequest, 'headers'>): boolean =>
  headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');

const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/** The Content-Length header, unless the body is chunked or the method has no body. */
export const lengthOf = ({ method, headers, body }: WireRequest): WireRequest['headers'] => {
  // Without it, Node would send an empty chunked body with a POST.
  return isInChunks({ headers }) || (!body && BODILESS.includes(method))
    ? []
    : [['Content-Length', `${body?.length ?? 0}`]];
};

/** Creates a function that delays requests to keep below a rate. */
const createTurns = (perSecond: number | undefined) => {
  let next = 0;
  return async (): Promise<void> => {
    if (perSecond === undefined) return;
    const now = performance.now();
    const turn = Math.max(now, next);
    next = turn + 1000 / perSecond;
    if (turn > now) await pause(turn - now);
  };
};

interface Connection {
  readonly url: URL;
  readonly agent: Agent;
  readonly watch: ReturnType<typeof createIdleCare>;
  readonly timeoutMs: number;
}

/** Sends a request. A retry gets a new connection. */
const sendOnce = (connection: Connection, request: WireRequest, isAgain = false): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { url, agent, watch, timeoutMs } = connection;
    const { method, target: path, body } = request;
    const timeout = (more: string) => new NoAnswer(`none within ${timeoutMs / 1000} s${more}`, true);
    let reading: ReturnType<typeof readReply> | undefined;
    let receivedBefore = 0;
    const options = { method, path, headers: request.headers.flat() };
    const outgoing = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      { ...options, agent: isAgain || method === 'HEAD' ? false : agent },
      (response) => {
        if (method === 'HEAD') holdBack(response);
        reading = readReply(method, response, (reply) => {
          settle();
          resolve(reply);
        });
      },
    );
    const timer = setTimeout(() => {
      const hasBegun = outgoing.socket && outgoing.socket.bytesRead > receivedBefore;
      if (!reading) return outgoing.destroy(timeout(hasBegun ? '; the reply stalled in its head' : ''));
      settle();
      reject(timeout(`; ${reading.giveUp()}`));
    }, timeoutMs);
    const unwatch = watch(() => outgoing.socket?.bytesRead === receivedBefore);
    const settle = (): void => {
      clearTimeout(timer);
      unwatch();
    };
    outgoing.on('socket', (socket) => {
      receivedBefore = socket.bytesRead;
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (reading) return reading.spoil(error);
      settle();
      const isStale = outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      // The service closed an idle connection and cannot have read the request: retry on a new connection.
      if (isStale && !isAgain && outgoing.socket?.bytesRead === receivedBefore)
        return resolve(sendOnce(connection, request, true));
      reject(error instanceof NoAnswer ? error : new NoAnswer(reasonOf(error)));
    });
    if (isInChunks(request)) void sendPieces(outgoing, body);
    else outgoing.end(body);
  });

/** Sends requests unchanged: follows no redirects and adds only required headers. */
export const createTransport = (
  base: string,
  { timeoutMs = 10_000, maxResponseTimeMs, requestsPerSecond, headers: usual = [] }: TransportOptions = {},
) => {
  const url = new URL(base);
  const agent = new (url.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true });
  const connection = { url, agent, watch: createIdleCare(agent), timeoutMs };
  const takeTurn = createTurns(requestsPerSecond);
  const prefix = url.pathname.replace(/\/$/, '');

  /** Sends a request, and marks a late reply. */
  const send = async (given: WireRequest): Promise<Reply> => {
    await takeTurn();
    const request = addHeaders([['Host', url.host]], addHeaders(usual, given));
    const started = performance.now();
    const reply = await sendOnce(connection, {
      ...request,
      target: prefix + request.target,
      headers: [...request.headers, ...lengthOf(request)],
    });
    const took = Math.round(performance.now() - started);
    // Without a prototype: `constructor` must not look like a header.
    const headers: Reply['headers'] = Object.assign(Object.create(null), reply.headers);
    if (maxResponseTimeMs === undefined || took <= maxResponseTimeMs) return { ...reply, headers };
    return { ...reply, headers, late: `the reply took ${took} ms, more than ${maxResponseTimeMs} ms` };
  };

  return { send, close: () => agent.destroy() };
};

/** The error code, or the message of the parser for an invalid HTTP reply. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code?.startsWith('HPE_') ? `the reply is not HTTP (${message})` : (code ?? message);

/** Sends requests to a service. */
export type Transport = ReturnType<typeof createTransport>;

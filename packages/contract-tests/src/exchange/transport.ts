import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { addHeaders, type Reply, type WireRequest } from '../requests/call.ts';
import { sendPieces } from './pieces.ts';
import { readReply } from './read-reply.ts';

/** No answer came; the message is an error code such as `ECONNREFUSED`, or a phrase. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether no service listens at that address. */
  readonly isAway: boolean;
  /** Whether the service took too long. */
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
  /** A reply that takes longer than this is a failure. */
  readonly maxResponseTimeMs?: number | undefined;
  /** The rate limit. */
  readonly requestsPerSecond?: number | undefined;
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

/** How long a request waits for a first byte before idle connections are closed. */
const FIRST_BYTE_MS = 500;

const destroyThis = function (this: Duplex): void {
  this.destroy();
};

/**
 * Guards idle connections. Bytes that arrive on an idle connection must not be read as the next reply. And a service
 * that handles one connection at a time must not wait for an idle one.
 */
const createIdleCare = (agent: Agent) => {
  const starving = new Set<object>();
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    if (starving.size > 0) return false;
    socket.on('data', destroyThis);
    return keep(socket);
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', destroyThis);
    reuse(socket, request);
  };
  const closeIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  };

  /** Watches a request until it settles: idle connections are closed while no byte of its reply has come. */
  return (isWaiting: () => boolean): (() => void) => {
    const request = {};
    const timer = setTimeout(() => {
      if (!isWaiting()) return;
      starving.add(request);
      closeIdle();
    }, FIRST_BYTE_MS);
    return () => {
      clearTimeout(timer);
      starving.delete(request);
    };
  };
};

/** A connection that stays open and silent for this long has sent all of the reply to a HEAD. */
const SILENCE_MS = 300;

/**
 * Delays the end of a reply to a HEAD until its connection is closed or silent. Bytes after the head are then reported
 * as an error of the parser, instead of being lost with the connection.
 */
const holdBack = (response: IncomingMessage): void => {
  response.pause();
  const timer = setTimeout(() => response.resume(), SILENCE_MS);
  response.socket.once('close', () => {
    clearTimeout(timer);
    response.resume();
  });
};

/** Sends requests unchanged: follows no redirects and adds only required headers. */
export const createTransport = (
  base: string,
  { timeoutMs = 10_000, maxResponseTimeMs, requestsPerSecond }: TransportOptions = {},
) => {
  const url = new URL(base);
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const watch = createIdleCare(agent);
  const takeTurn = createTurns(requestsPerSecond);
  const prefix = url.pathname.replace(/\/$/, '');

  const timeout = (more = '') => new NoAnswer(`none within ${timeoutMs / 1000} s${more}`, true);

  const complete = (request: WireRequest): WireRequest => {
    const { headers } = addHeaders([['Host', url.host]], request);
    return { ...request, target: prefix + request.target, headers: [...headers, ...lengthOf(request)] };
  };

  const sendOnce = (request: WireRequest, isAgain: boolean): Promise<Reply> =>
    new Promise((resolve, reject) => {
      let reading: ReturnType<typeof readReply> | undefined;
      let receivedBefore = 0;
      const options = { method: request.method, path: request.target, headers: request.headers.flat() };
      const outgoing = (isTls ? requestHttps : requestHttp)(
        url,
        { ...options, agent: isAgain || request.method === 'HEAD' ? false : agent },
        (response) => {
          if (request.method === 'HEAD') holdBack(response);
          reading = readReply(request.method, response, (reply) => {
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
          return resolve(sendOnce(request, true));
        reject(error instanceof NoAnswer ? error : new NoAnswer(reasonOf(error)));
      });
      if (isInChunks(request)) void sendPieces(outgoing, request.body);
      else outgoing.end(request.body);
    });

  /** Sends a request, and marks a late reply. */
  const send = async (given: WireRequest): Promise<Reply> => {
    await takeTurn();
    const request = complete(given);
    const started = performance.now();
    const reply = await sendOnce(request, false);
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

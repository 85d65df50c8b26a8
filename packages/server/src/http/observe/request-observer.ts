import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HandlerLog, Problem } from '@trellis/contract';
import {
  type BodySource,
  createBudget,
  pathAsSent,
  type Refuse,
  toBodySource,
} from '@trellis/contract/internal';
import type { Request } from 'express';
import type { Trust } from '../forwarded.ts';
import {
  type CrossOriginFields,
  ExchangeResponse,
  exchangeOf,
  onFlushed,
  type ReceivedRequest,
  type RequestSpan,
  type ServerExchange,
  signalOf,
} from './exchange.ts';
import type { Metrics, StreamOutcome } from './metrics.ts';
import { createHandlerLog, createRequestLog, type Log } from './request-log.ts';

/** Traces requests. */
export interface Tracing {
  /** Starts the span of a request; `undefined` for a request that is not worth one. */
  readonly startRequest: (request: IncomingMessage) => RequestSpan | undefined;
}

/** Where requests are reported to. */
export interface RequestObserverOptions {
  /** Gets a line for each request. */
  readonly log: Omit<Log, 'warn'>;
  /** Gets the lines of handlers. */
  readonly handlerLog: Log;
  readonly metrics: Pick<Metrics, 'requests'>;
  readonly tracing?: Tracing | undefined;
  /** How many bytes all requests together may keep in memory; 64 MiB if not given. */
  readonly maxBufferedBytes?: number | undefined;
  /** Refuses requests before their operation is known. */
  readonly refuse: Refuse;
  /** The header fields of a reply about other origins. */
  readonly crossOriginFields?: ((request: IncomingMessage) => CrossOriginFields | undefined) | undefined;
}

/** How many characters of a path or a name are logged: clients choose both. */
const MAX_LOGGED = 256;

/** An id from outside may contain only these characters, so that it is safe in a header, a log and a shell. */
const SAFE_ID = /^[\w.~+/=:-]{1,128}$/;

/**
 * Creates ids of requests. A safe id that a client sends is kept, so that a request can be traced across services.
 * Otherwise the id is made of a random number of this process and a counter.
 */
const createRequestIds = () => {
  const prefix = randomBytes(8).readBigUInt64LE().toString(36);
  let count = 0;
  return (sent?: string | string[]): string => {
    if (typeof sent === 'string' && SAFE_ID.test(sent)) return sent;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
};

/** The methods that all exchanges share: functions for each request would cost more. */
const createMethods = (
  { handlerLog, metrics: { requests } }: RequestObserverOptions,
  write: ReturnType<typeof createRequestLog>,
) => ({
  address(this: ServerExchange): string | undefined {
    return this.request.ip;
  },
  isProxied(this: ServerExchange): boolean {
    const trust: Trust | undefined = this.raw?.app.get('trust proxy fn');
    return trust?.(this.request.socket.remoteAddress, 0) ?? false;
  },
  accepts(this: ServerExchange, mediaTypes: string[]): string | false {
    return this.raw?.accepts(mediaTypes) ?? false;
  },
  openSignal(this: ServerExchange): AbortSignal {
    return signalOf(this);
  },
  openLog(this: ServerExchange): HandlerLog {
    return createHandlerLog(handlerLog, { requestId: this.id });
  },
  finish(this: ServerExchange, status: number | undefined, stream?: StreamOutcome): void {
    if (this.isFinished) return;
    this.isFinished = true;
    onFlushed(this.response, this.share.release);
    const { request, operation, trace } = this;
    const milliseconds = performance.now() - this.started;
    trace?.end(status, stream);
    // Requests that no operation serves share one label: clients must not be able to create metrics without bound.
    requests.count(operation ?? 'none', status, milliseconds / 1000, stream);
    write(
      {
        requestId: this.id,
        method: request.method,
        path: pathAsSent(request.originalUrl ?? request.url).slice(0, MAX_LOGGED),
        operation,
        who: this.principal?.name.slice(0, MAX_LOGGED),
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
        traceId: trace?.traceId,
        stream: stream?.end,
        bytes: stream?.bytes,
      },
      this.error,
      this.errorBody,
    );
  },
});

/** Creates the function that creates exchanges. */
const createExchanges = (
  { tracing, refuse, crossOriginFields, maxBufferedBytes }: RequestObserverOptions,
  createId: ReturnType<typeof createRequestIds>,
  methods: ReturnType<typeof createMethods>,
) => {
  const openShare = createBudget(maxBufferedBytes);
  return (request: ReceivedRequest, response: ServerResponse, body: BodySource): ServerExchange => {
    const { headers } = request;
    // RFC 9112, section 6.3: without either field there is no body.
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    return ExchangeResponse.set({
      request,
      response,
      body: hasBody ? body : undefined,
      id: createId(headers['x-request-id']),
      share: openShare(() => request.ip),
      trace: tracing?.startRequest(request),
      started: performance.now(),
      refuse,
      crossOriginFields,
      raw: undefined,
      operation: undefined,
      principal: undefined,
      errorBody: undefined,
      upload: undefined,
      error: undefined,
      isFinished: false,
      abort: undefined,
      endSequence: undefined,
      // Named one by one: with a spread, V8 builds each exchange slowly, which took a third of the CPU of a request.
      address: methods.address,
      isProxied: methods.isProxied,
      accepts: methods.accepts,
      openSignal: methods.openSignal,
      openLog: methods.openLog,
      finish: methods.finish,
    });
  };
};

/** Creates the exchange of each request, and logs and counts it. */
export const createRequestObserver = (options: RequestObserverOptions) => {
  const { log, metrics, refuse } = options;
  const write = createRequestLog(log);
  const createId = createRequestIds();
  const create = createExchanges(options, createId, createMethods(options, write));
  return {
    /** Creates the exchange of a request of our own server. */
    receive: (
      request: ReceivedRequest,
      response: ServerResponse,
      body = toBodySource(request),
    ): ServerExchange => exchangeOf(response) ?? create(request, response, body),

    /** Returns the exchange of a request of Express. A request of another server has none before. */
    start(request: Request, response: ServerResponse): ServerExchange {
      const exchange = exchangeOf(response) ?? create(request, response, toBodySource(request));
      exchange.raw = request;
      return exchange;
    },

    /**
     * Makes the reply to bytes that cannot be parsed into a request, or into the rest of the request of a response.
     * Returns it with the id of the request.
     */
    replyToUnparsed(problem: Problem, response?: ServerResponse) {
      const exchange = response && exchangeOf(response);
      const id = exchange?.id ?? createId();
      const { status } = problem;
      if (exchange) {
        exchange.error = problem;
        exchange.finish(status);
      } else {
        metrics.requests.count('none', status, 0);
        write({ requestId: id, status, ms: 0 }, problem);
      }
      return { id, reply: refuse(problem) };
    },
  };
};

/** Creates the exchange of each request, and logs and counts it. */
export type RequestObserver = ReturnType<typeof createRequestObserver>;

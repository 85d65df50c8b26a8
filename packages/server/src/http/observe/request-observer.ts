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
import type {} from '../raw-request.ts';
import type { Trust } from '../trust.ts';
import {
  type CrossOriginFields,
  exchangeOf,
  type OwnServer,
  type ReceivedRequest,
  type RequestSpan,
  type ServerExchange,
  setExchange,
} from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { createRequestIds } from './request-ids.ts';
import { createHandlerLog, createRequestLog, type Log } from './request-log.ts';
import type { StreamOutcome } from './request-metrics.ts';
import { signalOf } from './signal.ts';

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

/** Node's server always sets both; the types of its client messages leave them out. */
function assertReceived(request: IncomingMessage): asserts request is ReceivedRequest {
  if (request.method === undefined || request.url === undefined)
    throw new TypeError('not a received request');
}

/** RFC 9112, section 6.3: without either field there is no body. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The fields of the line of a request that could not be parsed. */
const UNPARSED = {
  method: undefined,
  path: undefined,
  operation: undefined,
  who: undefined,
  traceId: undefined,
  stream: undefined,
  bytes: undefined,
};

/** Creates the log lines and metrics of requests. */
const createReports = ({ log, metrics }: RequestObserverOptions) => {
  const write = createRequestLog(log);
  /** Requests that no operation serves share one label: clients must not be able to create metrics without bound. */
  const count = (
    { operation = 'none', started }: Pick<ServerExchange, 'operation' | 'started'>,
    status: number | undefined,
    stream: StreamOutcome | undefined,
  ): number => {
    const milliseconds = performance.now() - started;
    if (stream) metrics.requests.countStream(operation, stream);
    metrics.requests.count(operation, status, milliseconds / 1000);
    return Math.round(milliseconds * 1000) / 1000;
  };
  return {
    exchange(exchange: ServerExchange, status: number | undefined, stream?: StreamOutcome): void {
      const { request, trace, operation, principal } = exchange;
      trace?.end(status, stream);
      write(
        {
          requestId: exchange.id,
          method: request.method,
          path: pathAsSent(request.originalUrl ?? request.url).slice(0, MAX_LOGGED),
          operation,
          who: principal?.name.slice(0, MAX_LOGGED),
          status,
          ms: count(exchange, status, stream),
          traceId: trace?.traceId,
          stream: stream?.end,
          bytes: stream?.bytes,
        },
        exchange.error,
        exchange.errorBody,
      );
    },
    /** Reports what could not be parsed into a request. */
    unparsed(requestId: string, problem: Problem): void {
      const ms = count({ started: performance.now() }, problem.status, undefined);
      write({ ...UNPARSED, requestId, status: problem.status, ms }, problem);
    },
  };
};

/** The methods that all exchanges share: functions for each request would cost more. */
const createMethods = (
  { handlerLog, crossOriginFields = () => undefined }: RequestObserverOptions,
  report: ReturnType<typeof createReports>,
) => ({
  address(this: ServerExchange): string | undefined {
    return this.request.ip;
  },
  isProxied(this: ServerExchange): boolean {
    const { raw, request } = this;
    const trust: Trust | undefined = raw?.app.get('trust proxy fn');
    return trust?.(request.socket.remoteAddress, 0) ?? false;
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
  crossOriginFields(this: ServerExchange): CrossOriginFields | undefined {
    return crossOriginFields(this.request);
  },
  finish(this: ServerExchange, status: number | undefined, stream?: StreamOutcome): void {
    if (this.isFinished) return;
    this.isFinished = true;
    if (status === undefined) this.share.release(); // there is no reply that would release it
    report.exchange(this, status, stream);
  },
});

/** Creates the function that creates exchanges. */
const createExchanges = (options: RequestObserverOptions) => {
  const { tracing, refuse } = options;
  const openShare = createBudget(options.maxBufferedBytes);
  const createId = createRequestIds();
  const report = createReports(options);
  const methods = createMethods(options, report);
  const create = (
    request: ReceivedRequest,
    response: ServerResponse,
    body: BodySource,
    own: OwnServer | undefined,
  ): ServerExchange => ({
    request,
    response,
    own,
    body: hasBody(request) ? body : undefined,
    id: createId(request.headers['x-request-id']),
    share: openShare(() => request.ip),
    trace: tracing?.startRequest(request),
    started: performance.now(),
    refuse,
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
    crossOriginFields: methods.crossOriginFields,
    finish: methods.finish,
  });
  return { create, createId, report };
};

/** Creates the exchange of each request, and logs and counts it. */
export const createRequestObserver = (options: RequestObserverOptions) => {
  const { create, createId, report } = createExchanges(options);

  return {
    /** Creates the exchange of a request of our own server. */
    receive(
      request: IncomingMessage,
      response: ServerResponse,
      body = toBodySource(request),
      own?: OwnServer,
    ): ServerExchange {
      assertReceived(request);
      const known = exchangeOf(response);
      if (known) return known;
      const exchange = create(request, response, body, own);
      setExchange(exchange);
      return exchange;
    },

    /** Returns the exchange of a request of Express. A request of another server has none before. */
    start(request: Request, response: ServerResponse): ServerExchange {
      const known = exchangeOf(response);
      const exchange = known ?? create(request, response, toBodySource(request), undefined);
      if (!known) setExchange(exchange);
      exchange.raw = request;
      return exchange;
    },

    /** Reports a refusal that is written straight to the socket, and returns the request id that it must carry. */
    reportRefusal(problem: Problem, response?: ServerResponse): string {
      const exchange = response && exchangeOf(response);
      const id = exchange?.id ?? createId();
      if (!exchange) report.unparsed(id, problem);
      else {
        exchange.error = problem;
        exchange.share.release();
        exchange.finish(problem.status);
      }
      return id;
    },
  };
};

/** Creates the exchange of each request, and logs and counts it. */
export type RequestObserver = ReturnType<typeof createRequestObserver>;

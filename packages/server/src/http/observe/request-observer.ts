import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createBudget,
  type HandlerLog,
  pathAsSent,
  type RequestContext,
  type RequestTrace,
} from '@trellis/contract/internal';
import type { Problem } from '@trellis/contract/internal/handlers';
import type { Metrics } from './metrics.ts';
import { createHandlerLog, createRequestLog, type Log } from './request-log.ts';
import type { StreamOutcome } from './request-metrics.ts';
import { signalOf } from './signal.ts';

/** The trace of one request. */
export interface RequestSpan extends RequestTrace {
  /** For the log. */
  readonly traceId: string;
  /** Ends the span; the status is `undefined` if the client hung up before there was a reply. */
  readonly end: (status: number | undefined, stream?: StreamOutcome) => void;
}

/** Traces requests. */
export interface Tracing {
  /** Starts the span of a request; `undefined` for a request that is not worth one. */
  readonly startRequest: (request: IncomingMessage) => RequestSpan | undefined;
}

/** What the log and the metrics need to know of a request. */
export interface RequestRecord extends RequestContext {
  readonly id: string;
  readonly started: number;
  /** The error that the request failed with, if it did. */
  error?: unknown;
  isFinished: boolean;
  readonly response: ServerResponse | undefined;
  readonly trace: RequestSpan | undefined;
  /** Logs and counts the request, once. The status is `undefined` if the client hung up before there was a reply. */
  readonly finish: (response: ServerResponse, status: number | undefined, stream?: StreamOutcome) => void;
}

declare module 'http' {
  interface ServerResponse {
    /** The record of the request that this responds to. */
    record?: RequestRecord;
  }
}

/**
 * A request. Express adds `originalUrl`, the target before a parent app has cut off its mount path, and `ip`, the address
 * of the client by what trusted proxies say.
 */
type MaybeMounted = IncomingMessage & { readonly originalUrl?: string; readonly ip?: string | undefined };

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

/** Shared by all records: a function for each request would cost more. */
function openSignal(this: RequestRecord): AbortSignal {
  return this.response ? signalOf(this.response) : new AbortController().signal;
}

/** What requests are reported to. */
export interface RequestObserverOptions {
  /** Gets a line for each request. */
  readonly log: Omit<Log, 'warn'>;
  /** Gets what handlers write. */
  readonly handlerLog: Log;
  readonly metrics: Pick<Metrics, 'requests'>;
  readonly tracing?: Tracing | undefined;
  /** How many bytes all requests together may keep in memory; 64 MiB if not given. */
  readonly maxBufferedBytes?: number | undefined;
}

/** Creates what gives every request an id, counts it, and writes its line into the log. */
export const createRequestObserver = ({
  log,
  handlerLog,
  metrics,
  tracing,
  maxBufferedBytes,
}: RequestObserverOptions) => {
  const openShare = createBudget(maxBufferedBytes);
  const createId = createRequestIds();
  const write = createRequestLog(log);

  const report = (
    record: RequestRecord,
    status: number | undefined,
    request?: MaybeMounted,
    stream?: StreamOutcome,
  ): void => {
    if (record.isFinished) return;
    record.isFinished = true;
    const milliseconds = performance.now() - record.started;
    const { operation } = record;
    record.trace?.end(status, stream);
    if (stream) metrics.requests.countStream(operation ?? 'none', stream);
    // Requests that nothing serves share one label: clients must not be able to create metrics without bound.
    metrics.requests.count(operation ?? 'none', status, milliseconds / 1000);
    write(
      {
        requestId: record.id,
        method: request?.method,
        path: request && pathAsSent(request.originalUrl ?? request.url ?? '').slice(0, MAX_LOGGED),
        operation,
        who: record.principal?.name.slice(0, MAX_LOGGED),
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
        traceId: record.trace?.traceId,
        stream: stream?.end,
        bytes: stream?.bytes,
      },
      record.error,
      record.errorBody,
    );
  };

  const finish: RequestRecord['finish'] = (response, status, stream) => {
    const { record } = response;
    if (!record) return;
    if (status === undefined) record.share.release(); // there is no reply that would release it
    report(record, status, response.req, stream);
  };

  function openLog(this: RequestRecord): HandlerLog {
    return createHandlerLog(handlerLog, { requestId: this.id });
  }

  const createRecord = (request?: MaybeMounted, response?: ServerResponse): RequestRecord => ({
    id: createId(request?.headers['x-request-id']),
    started: performance.now(),
    operation: undefined,
    principal: undefined,
    refuse: undefined,
    errorBody: undefined,
    share: openShare(() => request?.ip),
    trace: request && tracing?.startRequest(request),
    error: undefined,
    isFinished: false,
    finish,
    response,
    openSignal,
    openLog,
  });

  return {
    /** Starts the record of a request; gives the one that there is if the request is seen a second time. */
    start(request: IncomingMessage, response: ServerResponse): RequestRecord {
      response.record ??= createRecord(request, response);
      return response.record;
    },

    /** Reports a refusal that is written straight to the socket, and gives the request id that it must carry. */
    reportRefusal(problem: Problem, response?: ServerResponse): string {
      const record = response?.record ?? createRecord();
      record.error = problem;
      record.share.release();
      report(record, problem.status, response?.req);
      return record.id;
    },
  };
};

/** Gives every request an id, counts it, and writes its line into the log. */
export type RequestObserver = ReturnType<typeof createRequestObserver>;

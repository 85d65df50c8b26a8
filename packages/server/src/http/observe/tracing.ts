import type { IncomingMessage } from 'node:http';
import type { RequestTrace } from '../../contract/request-trace.ts';

/** The trace of one request. */
export interface RequestSpan extends RequestTrace {
  /** For the log. */
  readonly traceId: string;
  /** Ends the span; the status is `undefined` if the client hung up before there was a reply. */
  readonly end: (status: number | undefined) => void;
}

/** Traces requests. */
export interface Tracing {
  /** Starts the span of a request; `undefined` for a request that is not worth one. */
  readonly startRequest: (request: IncomingMessage) => RequestSpan | undefined;
}

/** The spans of one request, named and described by the semantic conventions of OpenTelemetry for HTTP. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { pathAsSent } from '@trellis/contract/internal';
import type { RequestSpan } from '../../http/observe/exchange.ts';
import type { OnSettled } from '../store.ts';

/** A request whose handler runs. What happens for it finds it in an AsyncLocalStorage. */
export interface TracedRequest {
  /** Starts the span of a commit. */
  readonly startCommit: () => OnSettled;
}

/** Any other method is `_OTHER`, so that clients cannot create names of spans without bound. */
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|QUERY)$/;

/** A request. Express adds `originalUrl`, the target before a parent app has cut off its mount path, and `protocol`. */
type MaybeMounted = IncomingMessage & { readonly originalUrl?: string; readonly protocol?: string };

/** No query, like the log: it may hold secrets. */
const describe = ({
  method = '',
  url = '',
  originalUrl = url,
  headers,
  protocol = 'http',
}: MaybeMounted): Attributes => ({
  'http.request.method': METHODS.test(method) ? method : '_OTHER',
  ...(!METHODS.test(method) && { 'http.request.method_original': method }),
  'url.path': pathAsSent(originalUrl),
  'url.scheme': protocol,
  ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
});

/**
 * The clock of one request's spans, in milliseconds since the epoch. The SDK's own starts spans at whole milliseconds
 * and ends them exactly, so that one which follows another would seem to begin before the other's end.
 */
const startClock = (): (() => number) => {
  const offset = Date.now() - performance.now();
  return () => offset + performance.now();
};

const endWith = (span: Span, error: string | undefined, time: number): void => {
  if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
  span.end(time);
};

const UNSAMPLED = { matched() {}, handle: <T>(work: () => T): T => work(), end() {} };

/** Starts the span of a request, whose parent is in a context. A request that is not sampled has no other spans. */
export const startRequestSpan = (
  tracer: Tracer,
  current: AsyncLocalStorage<TracedRequest>,
  request: IncomingMessage,
  parent: Context,
): RequestSpan => {
  const { method = '' } = request;
  const verb = METHODS.test(method) ? method : 'HTTP';
  const now = startClock();
  const span = tracer.startSpan(verb, { kind: SpanKind.SERVER, startTime: now() }, parent);
  const { traceId, spanId, traceFlags } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  if (!span.isRecording()) return { traceId, traceparent, ...UNSAMPLED };

  span.setAttributes(describe(request));
  const within = trace.setSpan(parent, span);
  const traced: TracedRequest = {
    startCommit() {
      const commit = tracer.startSpan('commit', { startTime: now() }, within);
      return (outcome, batchSize) => {
        commit.setAttribute('store.batch_size', batchSize); // not db.operation.batch.size, which must not be 1
        endWith(commit, outcome instanceof Error ? outcome.name : undefined, now());
      };
    },
  };
  return {
    traceId,
    traceparent,
    matched(route) {
      span.updateName(`${verb} ${route}`).setAttribute('http.route', route);
    },
    handle: (work) => current.run(traced, work),
    end(status, stream) {
      if (stream)
        span.setAttributes({
          'http.response.body.size': stream.bytes,
          'http.response.stream_end': stream.end,
        });
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      // A 4xx is an error of the client, and leaves the status of the span unset.
      endWith(span, status !== undefined && status >= 500 ? `${status}` : undefined, now());
    },
  };
};

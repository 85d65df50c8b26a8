/**
 * Traces with OpenTelemetry. Loaded only if tracing is on. No tracer provider, context manager or propagator is global:
 * whoever traces is given what it needs.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT_CONTEXT, type TextMapGetter } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { CommitObserver } from '../../engines/observer.ts';
import { isProbe } from '../../http/observe/request-log.ts';
import type { Tracing } from '../../http/observe/request-observer.ts';
import { startRequestSpan, type TracedRequest } from './request-span.ts';
import type { TracingSettings } from './settings.ts';
import { createLostSpans, createSpanQueue } from './span-queue.ts';

/** How long a stop waits for the last spans to be sent, in milliseconds. */
const FLUSH_WITHIN = 2000;

/** Clients choose the path and the name of their program; spans wait in memory. */
const LONGEST_ATTRIBUTE = 256;

/** The tracing of one service. */
export interface ServiceTracing extends Tracing {
  /** Follows the commit of what a handler writes. */
  readonly followItem: NonNullable<CommitObserver['followItem']>;
  /** Tells where losses are logged: the log is opened after the store. */
  readonly reportTo: (log: { warn(details: object, message: string): void }) => void;
  /** Sends the spans that wait, within a bounded time. */
  readonly stop: () => Promise<void>;
}

const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  get: (headers, name) => headers[name],
  keys: Object.keys,
};

const createRootSampler = (kind: string, ratio: number): Sampler => {
  if (kind === 'always_on') return new AlwaysOnSampler();
  return kind === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
};

/** Creates the sampler of a setting. One that is based on the parent keeps what the caller of the service has decided. */
const createSampler = ({ sampler, ratio }: TracingSettings): Sampler => {
  const root = createRootSampler(sampler.replace(/^parentbased_/, ''), ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
};

/** Starts to trace. The environment may name the service; otherwise it has the name and version given. */
export const startTracing = (
  settings: TracingSettings,
  service: { readonly name: string; readonly version: string },
): ServiceTracing => {
  let log: Parameters<ServiceTracing['reportTo']>[0] | undefined;
  const lost = createLostSpans(() => log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version }))
      .merge(detectResources({ detectors: [envDetector] })), // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME
    sampler: createSampler(settings),
    spanProcessors: [createSpanQueue(settings, lost)],
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
  });
  const tracer = provider.getTracer(service.name, service.version);
  const current = new AsyncLocalStorage<TracedRequest>();
  const propagator = new W3CTraceContextPropagator();

  return {
    startRequest: (request) =>
      isProbe(request)
        ? undefined
        : startRequestSpan(
            { tracer, current },
            request,
            propagator.extract(ROOT_CONTEXT, request.headers, HEADERS),
          ),
    followItem: () => current.getStore()?.startCommit(),
    reportTo(given) {
      log = given;
    },
    async stop() {
      const sent = provider.shutdown().catch(() => {}); // what it could not send is counted as lost
      await Promise.race([sent, sleep(FLUSH_WITHIN, undefined, { ref: false })]);
      lost.report();
    },
  };
};

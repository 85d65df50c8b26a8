/**
 * Traces with OpenTelemetry. Loaded only if tracing is on. Only the diagnostics are global: tracer provider, context
 * manager and propagator are passed to the code that traces.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultTextMapGetter, ROOT_CONTEXT } from '@opentelemetry/api';
import { globalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { isProbe } from '../../http/observe/request-log.ts';
import { logDiagnostics, type TracingLog } from './diagnostics.ts';
import { startRequestSpan, type TracedRequest } from './request-span.ts';

/** How long a stop waits for the last spans to be sent, in milliseconds. */
const FLUSH_WITHIN = 2000;

/** Clients choose the path and the name of their program; spans wait in memory. */
const LONGEST_ATTRIBUTE = 256;

/**
 * Starts to trace. The environment may name the service; otherwise it has the name and version given. The libraries read
 * the endpoint, the sampler and the limits of batches from the environment, too.
 */
export const startTracing = (
  service: { readonly name: string; readonly version: string },
  log: TracingLog,
) => {
  logDiagnostics(log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version }))
      .merge(detectResources({ detectors: [envDetector] })), // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
  });
  const tracer = provider.getTracer(service.name, service.version);
  const current = new AsyncLocalStorage<TracedRequest>();
  const propagator = new W3CTraceContextPropagator();

  return {
    startRequest: (request: IncomingMessage) =>
      isProbe(request)
        ? undefined
        : startRequestSpan(
            tracer,
            current,
            request,
            propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter),
          ),
    /** Follows the commit of a handler's write. */
    followItem: () => current.getStore()?.startCommit(),
    /** Sends the spans that wait, within a bounded time. */
    async stop(): Promise<void> {
      const sent = provider.shutdown().catch(globalErrorHandler);
      await Promise.race([sent, sleep(FLUSH_WITHIN, undefined, { ref: false })]);
    },
  };
};

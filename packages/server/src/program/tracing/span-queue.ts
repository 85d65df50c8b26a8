import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { codeOf } from '@trellis/openapi/json';
import type { TracingSettings } from './settings.ts';

/** Where losses are reported. */
interface LossLog {
  warn(details: object, message: string): void;
}

/** How often losses are logged, in milliseconds. */
const EVERY = 60_000;

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : '';
  return message || codeOf(error) || 'the collector did not take them';
};

/** Counts the spans that never reach the collector, and logs their number once a minute while there are any. */
export const createLostSpans = (getLog: () => LossLog | undefined) => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let lost = 0;
  let reason = '';

  const report = (): void => {
    if (lost === 0) return;
    getLog()?.warn({ lost, reason }, 'spans were lost: the collector of traces is away or too slow');
    reportedAt = performance.now();
    lost = 0;
  };

  return {
    add(count: number, error: unknown): void {
      lost += count;
      reason = reasonOf(error);
      if (performance.now() - reportedAt >= EVERY) report();
    },
    report,
  };
};

/** Counts lost spans. */
type LostSpans = ReturnType<typeof createLostSpans>;

const NO_ROOM = new Error('too many spans wait to be sent');

/**
 * Creates the queue of finished spans, from which they are sent in batches. Its length is limited here and not in
 * BatchSpanProcessor, which does not tell how many spans it drops.
 */
export const createSpanQueue = (
  { maxQueueSize, maxBatchSize, delay }: TracingSettings,
  lost: LostSpans,
): SpanProcessor => {
  const otlp = new OTLPTraceExporter();
  let waiting = 0;
  const exporter: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      otlp.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) lost.add(spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => otlp.shutdown(),
    forceFlush: () => otlp.forceFlush(),
  };
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize,
    maxExportBatchSize: maxBatchSize,
    scheduledDelayMillis: delay,
  });
  return {
    onStart: (span, parent) => batches.onStart(span, parent),
    onEnd(span) {
      if (waiting >= maxQueueSize) {
        lost.add(1, NO_ROOM);
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
};

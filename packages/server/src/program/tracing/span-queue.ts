import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { LostSpans } from './lost-spans.ts';
import type { TracingSettings } from './settings.ts';

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

import { createMetrics } from '../../src/http/observe/metrics.ts';
import type { Log } from '../../src/http/observe/request-log.ts';
import type { Tracing } from '../../src/http/observe/request-observer.ts';
import { createRequestObserver } from '../../src/http/observe/request-observer.ts';

/** The metrics and the request observer of an app and its server; nothing is logged unless the test wants it. */
export const createTestObserver = (log: Partial<Log> = {}, tracing?: Tracing, maxBufferedBytes?: number) => {
  const metrics = createMetrics();
  const whole = { debug() {}, info() {}, warn() {}, error() {}, ...log };
  return {
    metrics,
    observer: createRequestObserver({
      log: whole,
      handlerLog: whole,
      metrics,
      tracing,
      maxBufferedBytes,
    }),
  };
};

import { createMetrics } from '../../src/http/observe/metrics.ts';
import type { Log } from '../../src/http/observe/request-log.ts';
import {
  createRequestObserver,
  type RequestObserverOptions,
} from '../../src/http/observe/request-observer.ts';
import { refusePlainly } from '../../src/http/reply/reply.ts';

/** The metrics and the request observer of an app and its server; nothing is logged unless the test wants it. */
export const createTestObserver = (
  log: Partial<Log> = {},
  options: Partial<
    Pick<RequestObserverOptions, 'tracing' | 'maxBufferedBytes' | 'refuse' | 'crossOriginFields'>
  > = {},
) => {
  const metrics = createMetrics();
  const whole = { debug() {}, info() {}, warn() {}, error() {}, ...log };
  return {
    metrics,
    observer: createRequestObserver({
      log: whole,
      handlerLog: whole,
      metrics,
      refuse: refusePlainly,
      ...options,
    }),
  };
};

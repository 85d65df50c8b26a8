import { createMetrics } from '../../src/http/observe/metrics.ts';
import type { Log } from '../../src/http/observe/request-log.ts';
import { createWatch } from '../../src/http/observe/watch.ts';

/** What an app and its server are watched with; what is logged goes nowhere, unless the test wants it. */
export const createTestWatch = (log: Partial<Log> = {}) => {
  const metrics = createMetrics();
  return { metrics, watch: createWatch({ log: { debug() {}, info() {}, error() {}, ...log }, metrics }) };
};

import { Counter, Histogram, type Registry } from 'prom-client';

/** In seconds. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics of requests: how many there were, and how long they took. */
export const createRequestMetrics = (registry: Registry) => {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests by operation of the contract, or path beside it, and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the header of a request to its reply.',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });

  return {
    /** Counts a request. Its status is `undefined` if the client hung up before there was a reply. */
    count(operation: string, status: number | undefined, seconds: number): void {
      requests.inc({ operation, status: status ?? 'none' });
      durations.observe({ operation }, seconds);
    },
  };
};

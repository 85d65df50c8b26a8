import { createHistogram, type Histogram } from './histogram.ts';

/** In seconds. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of one operation. */
interface OperationMetrics {
  readonly statuses: Map<number | undefined, { count: number }>;
  readonly durations: Histogram;
}

/** Creates the metrics of requests: how many there were, and how long they took. */
export const createRequestMetrics = () => {
  const operations = new Map<string, OperationMetrics>();

  const metricsOf = (operation: string): OperationMetrics => {
    const known = operations.get(operation);
    if (known) return known;
    const created = { statuses: new Map(), durations: createHistogram(DURATION_BUCKETS) };
    operations.set(operation, created);
    return created;
  };

  const countsOf = ([operation, { statuses }]: readonly [string, OperationMetrics]) =>
    [...statuses].map(([status = 'none', { count }]) => ({ labels: { operation, status }, value: count }));

  const durationsOf = ([operation, { durations }]: readonly [string, OperationMetrics]) =>
    durations.values().map(({ suffix, labels, value }) => ({
      metricName: `http_request_duration_seconds${suffix}`,
      labels: { operation, ...labels },
      value,
    }));

  return {
    /** Counts a request. Its status is `undefined` if the client hung up before there was a reply. */
    count(operation: string, status: number | undefined, seconds: number): void {
      const { statuses, durations } = metricsOf(operation);
      const counted = statuses.get(status);
      if (counted) counted.count += 1;
      else statuses.set(status, { count: 1 });
      durations.observe(seconds);
    },

    /** The metrics as prom-client gives its own as JSON. */
    collect: () => [
      {
        name: 'http_requests_total',
        help: 'Requests by operation of the contract, or path beside it, and status.',
        type: 'counter',
        aggregator: 'sum',
        values: [...operations].flatMap(countsOf),
      },
      {
        name: 'http_request_duration_seconds',
        help: 'From the header of a request to its reply.',
        type: 'histogram',
        aggregator: 'sum',
        values: [...operations].flatMap(durationsOf),
      },
    ],
  };
};

import { Counter, type Registry } from 'prom-client';

/** The upper bounds of the buckets of durations, in seconds; one more bucket has none. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How a stream ended. */
export type StreamEnd = 'complete' | 'client left' | 'failed' | 'stopped';

/** What is known of a stream once it has ended. */
export interface StreamOutcome {
  readonly end: StreamEnd;
  readonly bytes: number;
  /** Why it failed. */
  readonly error?: unknown;
}

/** What is counted of one operation. */
interface OperationMetrics {
  readonly statuses: Map<number | undefined, { count: number }>;
  /** How many requests are in each bucket alone. */
  readonly buckets: number[];
  /** How long all of them took. */
  seconds: number;
}

/** The bucket of a duration. */
const bucketOf = (seconds: number): number => {
  let bucket = 0;
  for (const bound of BOUNDS) {
    if (seconds <= bound) break;
    bucket += 1;
  }
  return bucket;
};

const statusesOf = ([operation, { statuses }]: readonly [string, OperationMetrics]) =>
  [...statuses].map(([status = 'none', { count }]) => ({ labels: { operation, status }, value: count }));

/** The histogram of an operation. In Prometheus a bucket also counts what is in those before it. */
const durationsOf = ([operation, { buckets, seconds }]: readonly [string, OperationMetrics]) => {
  const sample = (suffix: string, value: number, labels: object = {}) => ({
    metricName: `http_request_duration_seconds_${suffix}`,
    labels: { operation, ...labels },
    value,
  });
  let count = 0;
  const cumulative = buckets.map((within, index) => {
    count += within;
    return sample('bucket', count, { le: BOUNDS[index] ?? '+Inf' });
  });
  return [...cumulative, sample('sum', seconds), sample('count', count)];
};

/**
 * Creates the metrics of requests: how many there were, and how long they took. prom-client's own look up their labels by
 * their text on every observation, which costs 3 % of a small request; these make text only when they are rendered. The
 * metrics of streams, of which there are fewer, are prom-client's, in the registry.
 */
export const createRequestMetrics = (registry: Registry) => {
  const operations = new Map<string, OperationMetrics>();
  const streams = new Counter({
    name: 'http_streams_total',
    help: 'Streamed replies by operation and how they ended: complete, client left, failed or stopped.',
    labelNames: ['operation', 'end'],
    registers: [registry],
  });
  const streamedBytes = new Counter({
    name: 'http_streamed_bytes_total',
    help: 'Bytes of streamed replies by operation, counted when a stream ends.',
    labelNames: ['operation'],
    registers: [registry],
  });

  const metricsOf = (operation: string): OperationMetrics => {
    const known = operations.get(operation);
    if (known) return known;
    const created = { statuses: new Map(), buckets: [...BOUNDS, 0].fill(0), seconds: 0 };
    operations.set(operation, created);
    return created;
  };

  return {
    /** Counts a request. Its status is `undefined` if the client hung up before there was a reply. */
    count(operation: string, status: number | undefined, seconds: number): void {
      const metrics = metricsOf(operation);
      const counted = metrics.statuses.get(status);
      if (counted) counted.count += 1;
      else metrics.statuses.set(status, { count: 1 });
      const bucket = bucketOf(seconds);
      metrics.buckets[bucket] = (metrics.buckets[bucket] ?? 0) + 1;
      metrics.seconds += seconds;
    },

    /** Counts a stream that has ended. */
    countStream(operation: string, { end, bytes }: StreamOutcome): void {
      streams.inc({ operation, end });
      streamedBytes.inc({ operation }, bytes);
    },

    /** The metrics that are not in the registry, as prom-client gives its own as JSON. */
    collect: () => [
      {
        name: 'http_requests_total',
        help: 'Requests by operation of the contract, or path beside it, and status.',
        type: 'counter',
        aggregator: 'sum',
        values: [...operations].flatMap(statusesOf),
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

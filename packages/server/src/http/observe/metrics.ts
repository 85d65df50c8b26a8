import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';

/** A metric in the JSON format of prom-client. The metrics of several processes are added up. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'sum';
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    /** The name with the suffix of a histogram. */
    readonly metricName?: string;
  }[];
}

type Labels = Metric['values'][number]['labels'];

const metric = (name: string, type: Metric['type'], help: string, values: Metric['values']): Metric => ({
  name,
  help,
  type,
  aggregator: 'sum',
  values,
});

/** How a stream ended. */
export type StreamEnd = 'complete' | 'client left' | 'failed' | 'stopped';

/** The outcome of a stream that has ended. */
export interface StreamOutcome {
  readonly end: StreamEnd;
  readonly bytes: number;
  /** Why it failed. */
  readonly error?: unknown;
}

/**
 * Creates a histogram with these upper bounds. prom-client's own looks up its labels by their text on every observation,
 * which costs 3 % of a small request; this one makes text only when it is rendered.
 */
const createHistogram = (bounds: readonly number[]) => {
  /** How many values are in each bucket alone; the last bucket has no bound. */
  const buckets = [...bounds, 0].fill(0);
  let sum = 0;
  return {
    observe(value: number): void {
      let bucket = 0;
      for (const bound of bounds) {
        if (value <= bound) break;
        bucket += 1;
      }
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      sum += value;
    },
    /** The numbers of the histogram of this name and these labels. */
    values(name: string, labels: Labels): Metric['values'] {
      let count = 0;
      const values = buckets.map((within, index) => {
        count += within;
        return {
          metricName: `${name}_bucket`,
          labels: { ...labels, le: bounds[index] ?? '+Inf' },
          value: count,
        };
      });
      return [
        ...values,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    },
  };
};

const addTo = <Key>(counts: Map<Key, number>, key: Key): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

const valuesOf = <Key>(counts: ReadonlyMap<Key, number>, labelsOf: (key: Key) => Labels): Metric['values'] =>
  Array.from(counts, ([key, value]) => ({ labels: labelsOf(key), value }));

/** In seconds. */
const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of one operation. */
const createOperationMetrics = () => ({
  statuses: new Map<number | undefined, number>(),
  durations: createHistogram(REQUEST_BUCKETS),
  streams: new Map<StreamEnd, number>(),
  streamedBytes: 0,
});

/** Creates the metrics of requests: how many there were, and how long they took. */
export const createRequestMetrics = () => {
  const operations = new Map<string, ReturnType<typeof createOperationMetrics>>();
  /** Collects a metric from all operations. */
  const collectAll = (
    name: string,
    type: Metric['type'],
    help: string,
    valuesOf: (of: ReturnType<typeof createOperationMetrics>, operation: string) => Metric['values'],
  ): Metric =>
    metric(
      name,
      type,
      help,
      [...operations].flatMap(([operation, metrics]) => valuesOf(metrics, operation)),
    );

  return {
    /**
     * Counts a request, and its stream if it was answered by one. Its status is `undefined` if the client hung up before
     * there was a reply.
     */
    count(operation: string, status: number | undefined, seconds: number, stream?: StreamOutcome): void {
      const metrics = operations.get(operation) ?? createOperationMetrics();
      operations.set(operation, metrics);
      addTo(metrics.statuses, status);
      metrics.durations.observe(seconds);
      if (!stream) return;
      addTo(metrics.streams, stream.end);
      metrics.streamedBytes += stream.bytes;
    },
    collect: (): readonly Metric[] => [
      collectAll(
        'http_requests_total',
        'counter',
        'Requests by operation of the contract, or path beside it, and status.',
        ({ statuses }, operation) =>
          valuesOf(statuses, (status) => ({ operation, status: status ?? 'none' })),
      ),
      collectAll(
        'http_request_duration_seconds',
        'histogram',
        'From the header of a request to its reply.',
        ({ durations }, operation) => durations.values('http_request_duration_seconds', { operation }),
      ),
      collectAll(
        'http_streams_total',
        'counter',
        'Streamed replies by operation and how they ended: complete, client left, failed or stopped.',
        ({ streams }, operation) => valuesOf(streams, (end) => ({ operation, end })),
      ),
      collectAll(
        'http_streamed_bytes_total',
        'counter',
        'Bytes of streamed replies by operation, counted when a stream ends.',
        ({ streams, streamedBytes: value }, operation) =>
          streams.size === 0 ? [] : [{ labels: { operation }, value }],
      ),
    ],
  };
};

const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/** In seconds. */
const COMMIT_BUCKETS = [0.0001, 0.00025, ...REQUEST_BUCKETS];

/** Creates the metrics of a store, which reports its commits to them. */
export const createStoreMetrics = () => {
  const depths: (() => number)[] = [];
  const sizes = createHistogram(BATCH_BUCKETS);
  const durations = new Map<string, ReturnType<typeof createHistogram>>();
  const settle = (outcome: 'committed' | 'failed', seconds: number): void => {
    const known = durations.get(outcome) ?? createHistogram(COMMIT_BUCKETS);
    durations.set(outcome, known);
    known.observe(seconds);
  };

  return {
    watchQueue: (depth: () => number): void => void depths.push(depth),
    committed(size: number, seconds: number): void {
      sizes.observe(size);
      settle('committed', seconds);
    },
    failed: (seconds: number): void => settle('failed', seconds),
    collect: (): readonly Metric[] => [
      metric(
        'store_queue_depth',
        'gauge',
        'Writes that wait for the store; writes that are being committed are not counted.',
        [{ labels: {}, value: depths.reduce((sum, depth) => sum + depth(), 0) }],
      ),
      metric(
        'store_batch_size',
        'histogram',
        'Writes that were committed together.',
        sizes.values('store_batch_size', {}),
      ),
      metric(
        'store_commit_duration_seconds',
        'histogram',
        'How long a batch took to be committed, or to fail.',
        [...durations].flatMap(([outcome, each]) =>
          each.values('store_commit_duration_seconds', { outcome }),
        ),
      ),
    ],
  };
};

/** The metrics of a store. */
export type StoreMetrics = ReturnType<typeof createStoreMetrics>;

/** Renders what several processes have collected, added up, in the text format of Prometheus. */
export const renderMetrics = async (collected: readonly (readonly object[])[]) => {
  const all = AggregatorRegistry.aggregate(collected.map((metrics) => [...metrics]));
  return { mediaType: all.contentType, text: await all.metrics() };
};

/** Gauges that are named like counters, which `promtool check metrics` refuses. Their parts are other gauges. */
const MISNAMED = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

/** Creates the Prometheus metrics of one service: of its requests, its store, its tasks, and the Node.js process. */
export const createMetrics = (
  store = createStoreMetrics(),
  collectTasks: () => readonly object[] = () => [],
) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const requests = createRequestMetrics();
  const collectOwn = (): object[] => [...store.collect(), ...requests.collect(), ...collectTasks()];
  return {
    requests,
    /** All metrics, for `renderMetrics`. */
    collect: async (): Promise<object[]> => [...(await registry.getMetricsAsJSON()), ...collectOwn()],
    async render() {
      const own = await renderMetrics([collectOwn()]);
      return { mediaType: own.mediaType, text: [await registry.metrics(), own.text].join('\n') };
    },
  };
};

/** The metrics of one service. */
export type Metrics = ReturnType<typeof createMetrics>;

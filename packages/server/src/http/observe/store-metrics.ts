import { Gauge, Histogram, Registry } from 'prom-client';

const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/** In seconds. */
const DURATION_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Metrics as they are read: the part of a registry of prom-client that others use. */
export interface MetricsSource {
  readonly contentType: string;
  /** All of them, in the text format of Prometheus. */
  metrics(): Promise<string>;
  getMetricsAsJSON(): Promise<object[]>;
  getMetricsAsArray(): object[];
}

/**
 * Creates the metrics of a store, which reports its commits to them. They have their own registry, because the store is
 * opened before the service.
 */
export const createStoreMetrics = () => {
  const registry = new Registry();
  const source: MetricsSource = registry;
  const registers = [registry];
  const depths: (() => number)[] = [];
  new Gauge({
    name: 'store_queue_depth',
    help: 'Creates that wait for the store, those that are being committed left out.',
    registers,
    collect() {
      this.set(depths.reduce((sum, depth) => sum + depth(), 0));
    },
  });
  const sizes = new Histogram({
    name: 'store_batch_size',
    help: 'Creates that were committed together.',
    buckets: SIZE_BUCKETS,
    registers,
  });
  const durations = new Histogram({
    name: 'store_commit_duration_seconds',
    help: 'How long a batch took to be committed, or to fail.',
    labelNames: ['outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });

  return {
    source,
    watchQueue: (depth: () => number): void => void depths.push(depth),
    committed(size: number, seconds: number): void {
      sizes.observe(size);
      durations.observe({ outcome: 'committed' }, seconds);
    },
    failed(seconds: number): void {
      durations.observe({ outcome: 'failed' }, seconds);
    },
  };
};

/** The metrics of a store. */
export type StoreMetrics = ReturnType<typeof createStoreMetrics>;

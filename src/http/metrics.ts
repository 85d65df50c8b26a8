import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createRequestFigures } from './request-figures.ts';

/** The figures of one service, for Prometheus. */
export const createMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  const requests = createRequestFigures();
  let depth = () => 0;

  new Gauge({
    name: 'store_queue_depth',
    help: 'Creates that wait for the store, those that are being committed left out.',
    registers,
    collect() {
      this.set(depth());
    },
  });
  const batchSize = new Histogram({
    name: 'store_batch_size',
    help: 'Creates that were committed together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  });
  const commitDuration = new Histogram({
    name: 'store_commit_duration_seconds',
    help: 'How long a batch took to be committed, or to fail.',
    labelNames: ['outcome'],
    buckets: [
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ],
    registers,
  });
  collectDefaultMetrics({ register: registry });

  return {
    requests,
    /** Is told how the store is doing. */
    store: {
      watchQueue(read: () => number): void {
        depth = read;
      },
      committed(size: number, seconds: number): void {
        batchSize.observe(size);
        commitDuration.observe({ outcome: 'committed' }, seconds);
      },
      failed(seconds: number): void {
        commitDuration.observe({ outcome: 'failed' }, seconds);
      },
    },
    /** All figures in the text format of Prometheus, and its media type. */
    async render(): Promise<{ readonly mediaType: string; readonly text: string }> {
      return { mediaType: registry.contentType, text: `${await registry.metrics()}\n${requests.render()}` };
    },
  };
};

/** The figures of one service. */
export type Metrics = ReturnType<typeof createMetrics>;

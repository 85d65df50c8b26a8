import { createHistogram, type Histogram } from './histogram.ts';

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/** In seconds. */
const DURATIONS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Counts what a store does, as it tells. */
export const createStoreFigures = () => {
  const sizes = createHistogram(SIZES);
  const durations = new Map<string, Histogram>();
  let depth = () => 0;

  const observeDuration = (outcome: string, seconds: number): void => {
    const histogram = durations.get(outcome) ?? createHistogram(DURATIONS);
    durations.set(outcome, histogram);
    histogram.observe(seconds);
  };

  return {
    watchQueue(read: () => number): void {
      depth = read;
    },
    committed(size: number, seconds: number): void {
      sizes.observe(size);
      observeDuration('committed', seconds);
    },
    failed(seconds: number): void {
      observeDuration('failed', seconds);
    },

    /** All of it in the text format of Prometheus. */
    render(): string[] {
      return [
        '# HELP store_queue_depth Creates that wait for the store, those that are being committed left out.',
        '# TYPE store_queue_depth gauge',
        `store_queue_depth ${depth()}`,
        '# HELP store_batch_size Creates that were committed together.',
        '# TYPE store_batch_size histogram',
        ...sizes.render('store_batch_size'),
        '# HELP store_commit_duration_seconds How long a batch took to be committed, or to fail.',
        '# TYPE store_commit_duration_seconds histogram',
        ...[...durations].flatMap(([outcome, histogram]) =>
          histogram.render('store_commit_duration_seconds', `outcome="${outcome}"`),
        ),
      ];
    },
  };
};

/** What a store does, in figures. */
export type StoreFigures = ReturnType<typeof createStoreFigures>;

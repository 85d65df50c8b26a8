/** A number of a histogram: how many values are up to `le`, or their `_sum` or `_count`. */
export interface HistogramValue {
  readonly suffix: '_bucket' | '_sum' | '_count';
  readonly labels: { readonly le?: number | string };
  readonly value: number;
}

/** Counts values in buckets, for Prometheus. */
export interface Histogram {
  observe(value: number): void;
  values(): HistogramValue[];
}

/**
 * Creates a histogram with these upper bounds. prom-client's own looks up its labels by their text on every observation,
 * which costs 3 % of a small request; this one makes text only when it is rendered.
 */
export const createHistogram = (bounds: readonly number[]): Histogram => {
  /** How many values are in each bucket alone; the last bucket has no bound. */
  const buckets = [...bounds, 0].fill(0);
  let sum = 0;
  return {
    observe(value) {
      let bucket = 0;
      for (const bound of bounds) {
        if (value <= bound) break;
        bucket += 1;
      }
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      sum += value;
    },
    values() {
      let count = 0;
      const values = buckets.map((within, index): HistogramValue => {
        count += within;
        return { suffix: '_bucket', labels: { le: bounds[index] ?? '+Inf' }, value: count };
      });
      return [
        ...values,
        { suffix: '_sum', labels: {}, value: sum },
        { suffix: '_count', labels: {}, value: count },
      ];
    },
  };
};

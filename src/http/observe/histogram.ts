/** Counts values in buckets, for Prometheus. */
export interface Histogram {
  observe(value: number): void;
  /** Its lines in the text format, with the given labels: `operation="createThing"`. */
  render(name: string, labels: string): string[];
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
    render(name, labels) {
      let count = 0;
      const lines = buckets.map((within, index) => {
        count += within;
        return `${name}_bucket{${labels},le="${bounds[index] ?? '+Inf'}"} ${count}`;
      });
      return [...lines, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`];
    },
  };
};

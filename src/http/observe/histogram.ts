/** How many values stay within each of some bounds, for Prometheus. */
export interface Histogram {
  observe(value: number): void;
  /** Its lines in the text format, with labels as they stand there: `operation="createPlant"`. */
  render(name: string, labels?: string): string[];
}

/**
 * Counts values by the bounds that they stay within. prom-client finds a histogram by the text of its labels and the
 * names of them, each time anew, which takes a microsecond; here text is made when somebody asks.
 */
export const createHistogram = (bounds: readonly number[]): Histogram => {
  /** How many are up to each bound and above the one before; the last has none. */
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
    render(name, labels = '') {
      const before = labels === '' ? '' : `${labels},`;
      const after = labels === '' ? '' : `{${labels}}`;
      let count = 0;
      const lines = buckets.map((within, index) => {
        count += within;
        return `${name}_bucket{${before}le="${bounds[index] ?? '+Inf'}"} ${count}`;
      });
      return [...lines, `${name}_sum${after} ${sum}`, `${name}_count${after} ${count}`];
    },
  };
};

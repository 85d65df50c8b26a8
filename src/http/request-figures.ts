/** The bounds of the latency histogram, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What has been counted of one operation. */
interface Figures {
  readonly statuses: Map<number | undefined, { count: number }>;
  /** How many took up to each bound and longer than the one before; the last has none. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * Counts requests, and how long they took, by operation. prom-client finds a counter by the text of its labels, which
 * takes a microsecond for every request; here that text is made when somebody asks.
 */
export const createRequestFigures = () => {
  const operations = new Map<string, Figures>();

  const figuresOf = (operation: string): Figures => {
    const known = operations.get(operation);
    if (known) return known;
    const figures = { statuses: new Map(), buckets: [...BOUNDS, 0].fill(0), seconds: 0 };
    operations.set(operation, figures);
    return figures;
  };

  const renderCounts = (operation: string, { statuses }: Figures): string[] =>
    [...statuses].map(
      ([status = 'none', { count }]) =>
        `http_requests_total{operation=${operation},status="${status}"} ${count}`,
    );

  const renderHistogram = (operation: string, { buckets, seconds }: Figures): string[] => {
    let upTo = 0;
    const name = 'http_request_duration_seconds';
    const lines = buckets.map((count, index) => {
      upTo += count;
      return `${name}_bucket{operation=${operation},le="${BOUNDS[index] ?? '+Inf'}"} ${upTo}`;
    });
    return [
      ...lines,
      `${name}_sum{operation=${operation}} ${seconds}`,
      `${name}_count{operation=${operation}} ${upTo}`,
    ];
  };

  return {
    /** Counts a request. Its status is `undefined` where the client hung up before there was a reply. */
    count(operation: string, status: number | undefined, seconds: number): void {
      const figures = figuresOf(operation);
      const counted = figures.statuses.get(status);
      if (counted) counted.count += 1;
      else figures.statuses.set(status, { count: 1 });
      let bucket = 0;
      for (const bound of BOUNDS) {
        if (seconds <= bound) break;
        bucket += 1;
      }
      figures.buckets[bucket] = (figures.buckets[bucket] ?? 0) + 1;
      figures.seconds += seconds;
    },

    /** All of it in the text format of Prometheus, which escapes a label as JSON does. */
    render(): string {
      const each = (write: typeof renderCounts): string[] =>
        [...operations].flatMap(([operation, figures]) => write(JSON.stringify(operation), figures));
      return [
        '# HELP http_requests_total Requests by operation of the contract, or path beside it, and status.',
        '# TYPE http_requests_total counter',
        ...each(renderCounts),
        '# HELP http_request_duration_seconds From the header of a request to its reply.',
        '# TYPE http_request_duration_seconds histogram',
        ...each(renderHistogram),
        '',
      ].join('\n');
    },
  };
};

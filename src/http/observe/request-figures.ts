import { createHistogram, type Histogram } from './histogram.ts';

/** The bounds of the latency histogram, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What has been counted of one operation. */
interface Figures {
  readonly statuses: Map<number | undefined, { count: number }>;
  readonly durations: Histogram;
}

/** Counts requests, and how long they took, by operation. */
export const createRequestFigures = () => {
  const operations = new Map<string, Figures>();

  const figuresOf = (operation: string): Figures => {
    const known = operations.get(operation);
    if (known) return known;
    const figures = { statuses: new Map(), durations: createHistogram(BOUNDS) };
    operations.set(operation, figures);
    return figures;
  };

  const renderCounts = (label: string, { statuses }: Figures): string[] =>
    [...statuses].map(
      ([status = 'none', { count }]) => `http_requests_total{${label},status="${status}"} ${count}`,
    );

  const renderDurations = (label: string, { durations }: Figures): string[] =>
    durations.render('http_request_duration_seconds', label);

  return {
    /** Counts a request. Its status is `undefined` where the client hung up before there was a reply. */
    count(operation: string, status: number | undefined, seconds: number): void {
      const { statuses, durations } = figuresOf(operation);
      const counted = statuses.get(status);
      if (counted) counted.count += 1;
      else statuses.set(status, { count: 1 });
      durations.observe(seconds);
    },

    /** All of it in the text format of Prometheus, which escapes a label as JSON does. */
    render(): string[] {
      const each = (write: typeof renderCounts): string[] =>
        [...operations].flatMap(([operation, figures]) =>
          write(`operation=${JSON.stringify(operation)}`, figures),
        );
      return [
        '# HELP http_requests_total Requests by operation of the contract, or path beside it, and status.',
        '# TYPE http_requests_total counter',
        ...each(renderCounts),
        '# HELP http_request_duration_seconds From the header of a request to its reply.',
        '# TYPE http_request_duration_seconds histogram',
        ...each(renderDurations),
      ];
    },
  };
};

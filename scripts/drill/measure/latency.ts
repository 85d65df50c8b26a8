/** A summary of response times in milliseconds. */
export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Narrows a value from another process. */
export const isLatency = (value: unknown): value is Latency =>
  typeof value === 'object' && value !== null && 'p99' in value && 'max' in value && 'count' in value;

/** Summarizes response times. All numbers are 0 if there are none. */
export const summarize = (waits: Iterable<number>): Latency => {
  const sorted = Float64Array.from(waits).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
};

/**
 * Corrects for coordinated omission. A client that waits five seconds for an answer sends nothing meanwhile, so its wait
 * counts as one among many short ones. This adds the requests that it would have sent at its usual interval.
 */
export const withMissing = (waits: readonly number[], every: number): number[] =>
  waits.flatMap((wait) => {
    const missed: number[] = [];
    for (let rest = wait; rest > 0; rest -= every) missed.push(rest);
    return missed;
  });

/** How one kind of request of a client was answered. */
export interface Seen extends Latency {
  /** How many were answered with 200. The summary also counts those that were not sent because another waited. */
  readonly answered: number;
  /** Answers other than 200, and no answer at all. */
  readonly failures: number;
  /** Their statuses, each once. 0 means no answer. */
  readonly statuses: readonly number[];
}

/** What is seen where nothing was sent. */
export const NOTHING: Seen = { ...summarize([]), answered: 0, failures: 0, statuses: [] };

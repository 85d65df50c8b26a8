/** How long some waits were, in milliseconds. */
export interface Figures {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Narrows to figures that came from another process. */
export const isFigures = (value: unknown): value is Figures =>
  typeof value === 'object' && value !== null && 'p99' in value && 'most' in value && 'count' in value;

/** Sums up waits. None at all counts as no wait. */
export const toFigures = (waits: Iterable<number>): Figures => {
  const sorted = Float64Array.from(waits).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
};

/**
 * The waits of somebody who asks every so often, by one who asks again only once there is an answer. A client that
 * waits for five seconds has not asked meanwhile, and would count as one wait among many short ones: so those that it
 * would have begun meanwhile are added.
 */
export const withMissed = (waits: readonly number[], every: number): number[] =>
  waits.flatMap((wait) => {
    const missed: number[] = [];
    for (let rest = wait; rest > 0; rest -= every) missed.push(rest);
    return missed;
  });

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

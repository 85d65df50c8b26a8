/** A check that a run leaves out, so that its report can say so. */
export interface Unchecked {
  /** What is not checked, and why: `lists, because …`. */
  readonly what: string;
  /** The resource or the operation: `/things`. */
  readonly where: string;
}

/** How many places of one kind are named. */
const MOST_NAMES = 5;

/** One line for each kind of check that was left out. */
export const describeUnchecked = (unchecked: readonly Unchecked[]): string[] => {
  const places = new Map<string, Set<string>>();
  for (const { what, where } of unchecked) places.set(what, (places.get(what) ?? new Set()).add(where));
  return [...places].map(([what, where]) => {
    const names = [...where];
    const more = names.length - MOST_NAMES;
    const and = more > 0 ? ` and ${more} more` : '';
    return `not checked: ${what}: ${names.slice(0, MOST_NAMES).join(', ')}${and}`;
  });
};

/** The median and range of some values. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median and range of the values of several rounds; `undefined` if there are none. */
export const spreadOf = (values: readonly number[]): Spread | undefined => {
  const sorted = values.toSorted((one, other) => one - other);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return undefined;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? most;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? least;
  return { median: (lower + upper) / 2, least, most };
};

/** How many letters must be added, removed, replaced or swapped with the next to turn one text into another. */
const editDistance = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 2] === other[column - 1] && one[row - 1] === other[column - 2];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[other.length] ?? 0;
};

/** Names that are longer than this are compared by their beginnings. */
const LONGEST = 80;

const plain = (name: string): string => name.slice(0, LONGEST).toLowerCase();

/** Finds the name most similar to `name`; returns `undefined` if none is similar. */
export const nearestTo = (name: string, names: readonly string[]): string | undefined => {
  const most = Math.floor(Math.min(name.length, LONGEST) * 0.4);
  let [best, least] = [names[0], most + 1];
  for (const other of names) {
    if (Math.abs(other.length - name.length) >= least) continue;
    const away = editDistance(plain(name), plain(other));
    if (away < least) [best, least] = [other, away];
  }
  return least <= most ? best : undefined;
};

/** The number of letters to insert, remove, replace or swap with the next, so that one word becomes the other. */
const distance = (one: string, other: string): number => {
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

/** The farthest that a word may be from the one that was meant. */
const FARTHEST = 3;

/** The known word that was probably meant; `undefined` if none is like it. */
export const similarTo = (word: string, known: readonly string[]): string | undefined => {
  const short = word.slice(0, 40);
  const [best] = known
    .map((each) => ({ each, far: distance(short, each) }))
    .sort((one, other) => one.far - other.far);
  return best && best.far <= Math.min(FARTHEST, best.each.length / 2) ? best.each : undefined;
};

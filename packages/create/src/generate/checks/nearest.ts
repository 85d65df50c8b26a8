/** Names that are longer than this are compared by their beginnings. */
const LONGEST = 80;

/** How many letters must be added, removed or replaced to turn one text into another (Levenshtein). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of [...one].entries()) {
    const next = [rowIndex + 1];
    for (let index = 0; index < other.length; index += 1)
      next.push(
        Math.min(
          (row[index] ?? 0) + (other[index] === letter ? 0 : 1),
          (row[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
};

const plain = (name: string): string => name.slice(0, LONGEST).toLowerCase();

/** The name that somebody who wrote `name` most likely meant; `undefined` if none is like it. */
export const nearestTo = (name: string, names: readonly string[]): string | undefined => {
  const most = Math.floor(Math.min(name.length, LONGEST) * 0.4);
  let [best, least] = [names[0], most + 1];
  for (const other of names) {
    if (Math.abs(other.length - name.length) >= least) continue;
    const away = distance(plain(name), plain(other));
    if (away < least) [best, least] = [other, away];
  }
  return least <= most ? best : undefined;
};

/** Asks whether a name was meant, to be put after the wrong one; empty if there is none to ask for. */
export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` (did you mean \`${name}\`?)`;

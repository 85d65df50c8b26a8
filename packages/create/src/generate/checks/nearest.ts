import { editDistance } from '@trellis/openapi/values';

/** Names that are longer than this are compared by their beginnings. */
const LONGEST = 80;

const plain = (name: string): string => name.slice(0, LONGEST).toLowerCase();

/** The name that somebody who wrote `name` most likely meant; `undefined` if none is like it. */
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

/** Asks whether a name was meant, to be put after the wrong one; empty if there is none to ask for. */
export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` (did you mean \`${name}\`?)`;

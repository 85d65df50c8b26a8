/** Chooses at random: the same things for the same seed. */
export interface Chance {
  pick<T>(...from: readonly T[]): T;
  /** A whole number between two, both included. */
  between(min: number, max: number): number;
  /** Is true once in `times` calls on average. */
  oneIn(times: number): boolean;
  int64(): bigint;
}

/** Creates a source of choices. Each name has its own, so that adding one does not change the others. */
export const createChance = (seed: number, name = ''): Chance => {
  let state = seed | 0;
  for (const character of name) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  /** Mulberry32: a whole number below 2^32. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
  const below = (count: number): number => Math.floor((next() / 2 ** 32) * count);
  return {
    pick(...from) {
      const chosenNth = below(from.length);
      for (const [nth, each] of from.entries()) if (nth === chosenNth) return each;
      throw new Error('there is nothing to pick');
    },
    between: (min, max) => min + below(max - min + 1),
    oneIn: (times) => below(times) === 0,
    int64: () => BigInt.asIntN(64, (BigInt(next()) << 32n) | BigInt(next())),
  };
};

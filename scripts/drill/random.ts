/** A list that is not empty. */
export type Some<T> = readonly [T, ...T[]];

/** Random choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to just below the limit. */
  below(limit: number): number;
  /** A whole number between two, both included. */
  between(min: number, max: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<T>(list: Some<T>): T;
}

/** Numbers from 0 to just below 1 (mulberry32). */
const createStream = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Creates a source of random choices. */
export const createRandom = (seed: number): Random => {
  const next = createStream(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] ?? list[0],
  };
};

import { createRandom as createStream } from '../faults/random.ts';

/** A list with something in it. */
export type Some<T> = readonly [T, ...T[]];

/** Chance that repeats itself: the same seed, the same choices. */
export interface Random {
  /** A whole number from 0 to one less than the limit. */
  below(limit: number): number;
  /** A whole number between two, both included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(list: Some<T>): T;
  bytes(count: number): Buffer;
}

/** Makes chance of a seed. */
export const createRandom = (seed: number): Random => {
  const next = createStream(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] ?? list[0],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
};

/** A seed for each of many, so that one of them can be repeated without those before it. */
export const seedOf = (seed: number, index: number): number => Math.imul(index + 1, 0x9e3779b1) ^ seed;

import type { NewPlant } from '../plants/plant.ts';

const MIN_ID = -(2n ** 63n);
const MAX_ID = 2n ** 63n - 1n;

/** How many plants a page has at most: a round trip for few costs time. */
const MOST_PLANTS = 1024;

/** A page ends with the plant that brings it to so many characters: a page of many long ones would cost memory. */
export const ENOUGH_CHARACTERS = 2 ** 20;

/**
 * Reads plants in order of id, from an id on: at most `count`, and none beyond ENOUGH_CHARACTERS but the first.
 * An empty page says that there are no more.
 */
export type ReadPage = (from: bigint, count: number) => readonly NewPlant[] | Promise<readonly NewPlant[]>;

/** A stored row as a plant. No tag is NULL to a database, and no member to everybody else. */
export const toNewPlant = (id: bigint, name: string, tag: string | null): NewPlant =>
  tag === null ? { id, name } : { id, name, tag };

/** Reads plants a page at a time: between two pages nothing is held, neither a transaction nor a connection. */
export async function* readInPages(readPage: ReadPage): AsyncGenerator<NewPlant, void, undefined> {
  for (let from = MIN_ID; ; ) {
    const page = await readPage(from, MOST_PLANTS);
    yield* page;
    const last = page.at(-1);
    if (!last || last.id === MAX_ID) return;
    from = last.id + 1n;
  }
}

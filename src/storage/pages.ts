import type { NewPlant } from '../plants/plant.ts';

const MIN_ID = -(2n ** 63n);
const MAX_ID = 2n ** 63n - 1n;

/** How many plants a page has at first and at most, and how many characters it should not have. */
const FIRST_COUNT = 64;
const MOST_PLANTS = 1024;
const MOST_CHARACTERS = 2 ** 20;

/** Reads at most `count` plants, in order of id, from an id on. */
export type ReadPage = (from: bigint, count: number) => readonly NewPlant[] | Promise<readonly NewPlant[]>;

/** A stored row as a plant. No tag is NULL to a database, and no member to everybody else. */
export const toNewPlant = (id: bigint, name: string, tag: string | null): NewPlant =>
  tag === null ? { id, name } : { id, name, tag };

const lengthOf = (page: readonly NewPlant[]): number =>
  page.reduce((length, { name, tag = '' }) => length + name.length + tag.length, 0);

/** Reads plants a page at a time: between two pages nothing is held, neither a transaction nor a connection. */
export async function* readInPages(readPage: ReadPage): AsyncGenerator<NewPlant, void, undefined> {
  let count = FIRST_COUNT;
  for (let from = MIN_ID; ; ) {
    const page = await readPage(from, count);
    yield* page;
    const last = page.at(-1);
    if (!last || last.id === MAX_ID) return;
    from = last.id + 1n;
    // A round trip for few plants costs time, a page of long ones costs memory.
    count = lengthOf(page) > MOST_CHARACTERS ? Math.ceil(count / 2) : Math.min(count * 2, MOST_PLANTS);
  }
}

import type { NewPlant } from '../plants/plant.ts';

const MIN_ID = -(2n ** 63n);
const MAX_ID = 2n ** 63n - 1n;

/** Enough to make a round trip worth it, few enough to hold in memory whatever their names. */
const PAGE_SIZE = 1000;

/** Reads at most `count` plants, in order of id, from an id on. */
export type ReadPage = (from: bigint, count: number) => readonly NewPlant[] | Promise<readonly NewPlant[]>;

/** A stored row as a plant. No tag is NULL to a database, and no member to everybody else. */
export const toNewPlant = (id: bigint, name: string, tag: string | null): NewPlant =>
  tag === null ? { id, name } : { id, name, tag };

/** Reads plants a page at a time: between two pages nothing is held, neither a transaction nor a connection. */
export async function* readInPages(readPage: ReadPage): AsyncGenerator<NewPlant, void, undefined> {
  for (let from = MIN_ID; ; ) {
    const page = await readPage(from, PAGE_SIZE);
    yield* page;
    const last = page.at(-1);
    if (!last || last.id === MAX_ID) return;
    from = last.id + 1n;
  }
}

import type { NewPlant } from '../plants/plant.ts';

const MIN_ID = -(2n ** 63n);
const MAX_ID = 2n ** 63n - 1n;

/** How many plants a page has at most: small pages would cost too many round trips. */
const MOST_PLANTS = 1024;

/** A page ends with the plant that brings it to so many characters, which limits the memory of pages with long texts. */
export const ENOUGH_CHARACTERS = 2 ** 20;

/** A stored plant. A driver gives its id as a bigint or as text. */
export interface Row<Id extends bigint | string> {
  readonly id: Id;
  readonly name: string;
  readonly tag: string | null;
}

/** Makes a plant of a row: a database has NULL for a missing tag, and a plant has no such member. */
export const toNewPlant = ({ id, name, tag }: Row<bigint | string>): NewPlant =>
  tag === null ? { id: BigInt(id), name } : { id: BigInt(id), name, tag };

/** Reads at most `count` plants in order of id, from an id on, up to ENOUGH_CHARACTERS. After the last the page is empty. */
type ReadPage = (from: bigint, count: number) => Promise<readonly NewPlant[]>;

/** Reads all plants, page by page. Between two pages no transaction and no connection stays open. */
export async function* readInPages(readPage: ReadPage): AsyncGenerator<NewPlant, void, undefined> {
  for (let from = MIN_ID; ; ) {
    const page = await readPage(from, MOST_PLANTS);
    yield* page;
    const last = page.at(-1);
    if (!last || last.id === MAX_ID) return;
    from = last.id + 1n;
  }
}

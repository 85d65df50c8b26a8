import type { NewPlant } from './plant.ts';

/**
 * - `created`: the id was free, and the plant is stored under it now.
 * - `unchanged`: the same plant was there already; nothing was written.
 * - `conflict`: another plant (another name, another tag, a tag more or less) has the id and keeps it.
 */
export type CreateOutcome = 'created' | 'unchanged' | 'conflict';

/** Where plants are stored. Every store keeps these promises; one suite of tests holds all of them to it. */
export interface PlantRepository {
  /**
   * Settles once the outcome is durable: a plant that was `created` or `unchanged` survives the end of the process. If
   * several different plants race for one id, exactly one is `created`. Ids are exact over all of int64, names and tags
   * exact to the code unit; members that NewPlant does not name are not stored. Rejects, within a bounded time, with
   * StoreUnavailable if the store cannot tell the outcome, or with StoreOverloaded if nothing was tried; in both cases
   * the create can safely be repeated.
   */
  create(plant: NewPlant): Promise<CreateOutcome>;

  /** Tells in a word, by trying, why a create would fail now; `undefined` if it would not. */
  check(): Promise<string | undefined>;

  /** Completes accepted writes, then closes the store. */
  close(): Promise<void>;
}

/** A store as its operator sees it. Handlers get a PlantRepository, which cannot list plants. */
export interface PlantStore extends PlantRepository {
  /**
   * Every plant, in order of id, in constant memory and without blocking writers. Includes all plants that were there
   * when the reading began, and perhaps some that are created meanwhile. Throws StoreUnavailable if the store fails.
   */
  all(): AsyncIterable<NewPlant>;
}

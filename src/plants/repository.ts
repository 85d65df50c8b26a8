import type { NewPlant } from './plant.ts';

/**
 * - `created`: the id was free and is this plant's now.
 * - `unchanged`: this very plant was there already; nothing was written.
 * - `conflict`: another plant (another name, another tag, a tag more or less) holds the id and keeps it.
 */
export type CreateOutcome = 'created' | 'unchanged' | 'conflict';

/** Where plants are kept. Every store keeps these promises; one suite of tests holds them all to it. */
export interface PlantRepository {
  /**
   * Settles once the outcome is durable: a plant that was `created` or `unchanged` survives the end of the
   * process. Of several different plants raced under one id exactly one is `created`. Ids are exact over all
   * of int64, names and tags exact to the code unit; members that NewPlant does not name are not kept.
   * Rejects with StoreUnavailable if the store cannot tell; the create may then be repeated safely.
   */
  create(plant: NewPlant): Promise<CreateOutcome>;

  /** Finishes what was accepted, then lets go of the store. */
  close(): Promise<void>;
}

/** The store cannot be reached, or cannot write. The cause is for the log. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

import type { NewPlant } from './plant.ts';

/**
 * - `created`: the id was free and is this plant's now.
 * - `unchanged`: this very plant was there already; nothing was written.
 * - `conflict`: another plant (another name, another tag, a tag more or less) holds the id and keeps it.
 */
export type CreateOutcome = 'created' | 'unchanged' | 'conflict';

/** Why a store does not serve, in a word. The details are for the log. */
export type Reason = 'unreachable' | 'timeout' | 'full' | 'readonly' | 'busy' | 'failing';

/** Where plants are kept. Every store keeps these promises; one suite of tests holds them all to it. */
export interface PlantRepository {
  /**
   * Settles once the outcome is durable: a plant that was `created` or `unchanged` survives the end of the
   * process. Of several different plants raced under one id exactly one is `created`. Ids are exact over all
   * of int64, names and tags exact to the code unit; members that NewPlant does not name are not kept.
   * Rejects, within a bounded time, with StoreUnavailable if the store cannot tell, or StoreOverloaded if it was
   * not asked; either way the create may be repeated safely.
   */
  create(plant: NewPlant): Promise<CreateOutcome>;

  /** Tells, by trying, why a create would fail now; `undefined` if it would not. */
  check(): Promise<Reason | undefined>;

  /** Finishes what was accepted, then lets go of the store. */
  close(): Promise<void>;
}

/** A store as its operator sees it. Those who serve clients get a PlantRepository, which gives no plant away. */
export interface PlantStore extends PlantRepository {
  /**
   * Every plant, in order of id, in constant memory and without keeping writers waiting. What was there when the
   * reading began is there; what is created meanwhile may be. Throws StoreUnavailable if the store fails.
   */
  all(): AsyncIterable<NewPlant>;
}

/** The store cannot be reached, or cannot write. The cause is for the log. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(`the store is ${reason}`, options);
    this.reason = reason;
  }
}

/** More is waiting for the store than it should be asked to remember. Nothing was tried. */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded';
}

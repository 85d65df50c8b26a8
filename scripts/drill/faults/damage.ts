import type { StoredPlant } from '../../plants/stored-plants.ts';
import type { SentPlant } from './clients.ts';

/** How a store differs from what was acknowledged. */
export interface Damage {
  readonly lost: number;
  readonly altered: number;
  readonly twice: number;
}

/** Looks up every acknowledged plant in the store. A plant that was stored but never acknowledged is no damage. */
export const findDamage = (
  acknowledged: ReadonlyMap<string, SentPlant>,
  stored: readonly StoredPlant[],
): Damage => {
  const byId = new Map(stored.map((plant) => [plant.id, plant]));
  const pairs = [...acknowledged.values()].map((sent) => ({ sent, plant: byId.get(sent.id) }));
  return {
    lost: pairs.filter(({ plant }) => !plant).length,
    altered: pairs.filter(({ sent, plant }) => plant && (plant.name !== sent.name || plant.tag !== sent.tag))
      .length,
    twice: stored.length - byId.size,
  };
};

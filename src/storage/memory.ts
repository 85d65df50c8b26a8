import { type Plant, toPlant } from '../plants/plant.ts';
import type { PlantStore } from '../plants/repository.ts';

/** Creates a store that ends with the process: for trying things out, and for tests. */
export const createMemoryRepository = (): PlantStore => {
  const plants = new Map<bigint, Plant>();
  return {
    async create(plant) {
      const held = plants.get(plant.id);
      if (held) return held.name === plant.name && held.tag === plant.tag ? 'unchanged' : 'conflict';
      plants.set(plant.id, toPlant(plant));
      return 'created';
    },
    async *all() {
      const held = [...plants].toSorted(([one], [other]) => (one < other ? -1 : 1));
      for (const [id, plant] of held) yield { id, ...plant };
    },
    async check() {
      return undefined;
    },
    async close() {},
  };
};

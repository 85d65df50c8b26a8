import { type CommitObserver, createGroupCommit } from '@trellis/server';
import { type NewPlant, type Plant, toPlant } from '../plants/plant.ts';
import type { CreateOutcome, PlantStore } from '../plants/repository.ts';

/**
 * Creates a store that ends with the process: for trying things out, and for tests. Like other stores it creates in
 * batches: replies that leave together cost the service less than replies that leave one by one.
 */
export const createMemoryRepository = (observer?: CommitObserver): PlantStore => {
  const plants = new Map<bigint, Plant>();
  const put = (plant: NewPlant): CreateOutcome => {
    const held = plants.get(plant.id);
    if (held) return held.name === plant.name && held.tag === plant.tag ? 'unchanged' : 'conflict';
    plants.set(plant.id, toPlant(plant));
    return 'created';
  };
  const { submit, drain } = createGroupCommit((batch: readonly NewPlant[]) => batch.map(put), {}, observer);
  return {
    create: submit,
    async *all() {
      const held = [...plants].toSorted(([one], [other]) => (one < other ? -1 : 1));
      for (const [id, plant] of held) yield { id, ...plant };
    },
    async check() {
      return undefined;
    },
    close: drain,
  };
};

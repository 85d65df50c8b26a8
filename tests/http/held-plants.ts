import type { PlantRepository } from '../../src/plants/repository.ts';

const defer = () => {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
};

/** A store that tells when a create has reached it, and answers it only when the test says so. */
export const holdPlants = () => {
  const reached = defer();
  const released = defer();
  const plants: PlantRepository = {
    async create() {
      reached.settle();
      await released.promise;
      return 'created';
    },
    check: async () => undefined,
    async close() {},
  };
  return { plants, reached: reached.promise, release: released.settle };
};

import type fc from 'fast-check';

const MOST_MISSES = 1000;

/** Filters values; throws the problem instead of searching forever. */
export const filterOrGiveUp = <T>(
  values: fc.Arbitrary<T>,
  test: (value: T) => boolean,
  problem: Error,
): fc.Arbitrary<T> => {
  let misses = 0;
  return values.filter((value) => {
    misses = test(value) ? 0 : misses + 1;
    if (misses > MOST_MISSES) throw problem;
    return misses === 0;
  });
};

/** No valid request can be generated for an operation. The contract or the generator is at fault, not the service. */
export class NotGenerated extends Error {
  override readonly name = 'NotGenerated';
}

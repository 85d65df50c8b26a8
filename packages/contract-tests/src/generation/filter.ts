import type fc from 'fast-check';

/** How many values in a row may fail the test before the search ends. */
const MOST_MISSES = 1000;

/** The values that pass a test; throws if none is found, instead of searching forever. */
export const filterOrGiveUp = <T>(
  values: fc.Arbitrary<T>,
  test: (value: T) => boolean,
  giveUp: () => Error,
): fc.Arbitrary<T> => {
  let misses = 0;
  return values.filter((value) => {
    misses = test(value) ? 0 : misses + 1;
    if (misses > MOST_MISSES) throw giveUp();
    return misses === 0;
  });
};

/** No valid request can be made for an operation: that is about the contract, or this generator, not about the service. */
export class NotGenerated extends Error {
  override readonly name = 'NotGenerated';
}

import type fc from 'fast-check';

/** As many values in a row are turned down before none is expected any more. */
const MOST_MISSES = 1000;

/** The values that pass a test; throws where none does, rather than look for one for ever. */
export const patiently = <T>(
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

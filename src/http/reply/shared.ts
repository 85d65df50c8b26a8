/** How long a value is given to others while somebody still has it, in milliseconds. */
const SHARED_FOR = 1000;

/** Something that is made for several, and the number of those who have it. */
interface Shared<T> {
  readonly value: Promise<T>;
  holders: number;
  madeAt: number;
}

/**
 * Shares what takes time and memory to make among those who ask while it is being made, or while somebody still has it
 * and it is fresh. So clients who ask and never read get one value a second between them, and whoever asks alone gets a new one.
 */
export const createShared = <T>(make: () => Promise<T>) => {
  let latest: Shared<T> | undefined;

  const begin = (): Shared<T> => {
    const shared = { value: make(), holders: 0, madeAt: Number.POSITIVE_INFINITY };
    const done = (): void => {
      shared.madeAt = performance.now();
    };
    shared.value.then(done, done);
    return shared;
  };
  const isFresh = ({ holders, madeAt }: Shared<T>): boolean =>
    holders > 0 && performance.now() - madeAt < SHARED_FOR;

  return async (): Promise<{ readonly value: T; readonly release: () => void }> => {
    const shared = latest && isFresh(latest) ? latest : begin();
    latest = shared;
    shared.holders += 1;
    const release = (): void => {
      shared.holders -= 1;
    };
    try {
      return { value: await shared.value, release };
    } catch (error) {
      release();
      throw error;
    }
  };
};

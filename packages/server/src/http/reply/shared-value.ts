/** For how many milliseconds a value is shared. */
const MAX_AGE = 1000;

interface Shared<T> {
  readonly value: Promise<T>;
  holders: number;
  createdAt: number;
}

/**
 * Shares a costly value among callers: those who ask while it is being made, and those who ask within a second while
 * somebody still holds it. So clients that ask without reading the answer cause one value a second between them, and a
 * client that is alone always gets a new one.
 */
export const createSharedValue = <T>(create: () => Promise<T>) => {
  let latest: Shared<T> | undefined;

  const begin = (): Shared<T> => {
    const shared = { value: create(), holders: 0, createdAt: Number.POSITIVE_INFINITY };
    const noteTime = (): void => {
      shared.createdAt = performance.now();
    };
    shared.value.then(noteTime, noteTime);
    return shared;
  };
  const canShare = ({ holders, createdAt }: Shared<T>): boolean =>
    holders > 0 && performance.now() - createdAt < MAX_AGE;

  return async (): Promise<{ readonly value: T; readonly release: () => void }> => {
    const shared = latest && canShare(latest) ? latest : begin();
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

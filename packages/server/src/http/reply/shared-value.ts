/** For how many milliseconds a value is shared. */
const MAX_AGE = 1000;

interface Shared<T> {
  readonly value: Promise<T>;
  readonly createdAt: number;
  holders: number;
}

/**
 * Shares a costly value among callers who ask within a second, while at least one caller holds it. Clients that do not
 * read their replies then cost one value a second in total, and a client without others always gets a new value.
 */
export const createSharedValue = <T>(create: () => Promise<T>) => {
  let latest: Shared<T> | undefined;
  const canShare = ({ holders, createdAt }: Shared<T>): boolean =>
    holders > 0 && performance.now() - createdAt < MAX_AGE;

  return async (): Promise<{ readonly value: T; readonly release: () => void }> => {
    const shared =
      latest && canShare(latest) ? latest : { value: create(), holders: 0, createdAt: performance.now() };
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

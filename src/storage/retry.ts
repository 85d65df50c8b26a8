import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 200;

/**
 * Tries until it succeeds, fails for good, or `within` milliseconds are over since it failed first: a deadlock
 * takes a second to be found, and is tried again all the same. Pauses grow, and differ from process to process,
 * so that those who collided once do not collide again.
 */
export const retry = async <T>(
  work: () => Promise<T>,
  { isTransient, within }: { isTransient: (error: unknown) => boolean; within: number },
): Promise<T> => {
  let deadline: number | undefined;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await work();
    } catch (error) {
      deadline ??= performance.now() + within;
      const wait = pause * (0.5 + Math.random() / 2);
      if (!isTransient(error) || performance.now() + wait > deadline) throw error;
      await sleep(wait);
    }
  }
};

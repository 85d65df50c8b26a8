import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 200;

/**
 * Retries transient failures until `within` milliseconds after the first one. The first attempt does not count: a
 * database takes a second to detect a deadlock, which is still retried. Pauses grow and are random, so that processes
 * that collided once do not collide again.
 *
 * @example
 * await retry(() => save(thing), { isTransient: (error) => error instanceof StoreUnavailable, within: 1000 });
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

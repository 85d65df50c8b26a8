import { setTimeout as sleep } from 'node:timers/promises';

/** Looks every few milliseconds until something is true; throws if that takes too long. */
export const until = async (
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  within = 60_000,
): Promise<void> => {
  for (const deadline = performance.now() + within; !(await isTrue()); await sleep(10))
    if (performance.now() > deadline) throw new Error(`not within ${within} ms: ${what}`);
};

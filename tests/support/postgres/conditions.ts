import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until there is something to see, and gives that; throws if it takes too long. */
export const until = async <T>(
  what: string,
  look: () => Promise<T | undefined>,
  within = 10_000,
): Promise<T> => {
  for (const deadline = Date.now() + within; ; await sleep(10)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`not within ${within} ms: ${what}`);
  }
};

/** How long something took, in milliseconds, however it ended. */
export const timed = async <T>(
  work: Promise<T>,
): Promise<{ result: PromiseSettledResult<T>; took: number }> => {
  const start = performance.now();
  const [result] = await Promise.allSettled([work]);
  return { result, took: performance.now() - start };
};

/** Where a program is on this machine, if it is. */
export const findExecutable = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

import { resolve } from 'node:path';

/** Reads the number that an option was given; throws a sentence if it is none. */
export const readCount = (name: string, text: string): number => {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`--${name} must be a whole number above 0, not "${text}"`);
};

/** A path as whoever typed the command means it: npm changes to the folder of package.json. */
export const fromCaller = (path: string): string => resolve(process.env.INIT_CWD ?? '.', path);

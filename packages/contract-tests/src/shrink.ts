import fc from 'fast-check';
import { Hanging } from './exchange/send.ts';
import { NoAnswer, Stopped } from './exchange/transport.ts';

/** Limits: attempts per failure, requests per failure, requests for all failures of a subject. */
interface MostShrinks {
  readonly tries: number;
  readonly requests: number;
  readonly requestsInAll: number;
}

/** Creates a function that starts the budget of the next failure; the budget returns false once it is used up. */
export const createShrinkBudget = (sent: () => number, { tries, requests, requestsInAll }: MostShrinks) => {
  const last = sent() + requestsInAll;
  return (): (() => boolean) => {
    const most = Math.min(sent() + requests, last);
    let left = tries;
    return () => left-- > 0 && sent() < most;
  };
};

/** Whether an error ends a check: the service hangs or is unreachable, or the run must stop. */
export const isEnd = (error: unknown): error is Hanging | NoAnswer | Stopped =>
  error instanceof Hanging || error instanceof NoAnswer || error instanceof Stopped;

/** A value, identified by seed and index. */
interface Drawn<Value> {
  readonly values: fc.Arbitrary<Value>;
  readonly seed: number;
  readonly index: number;
}

/**
 * Looks for the smallest value with a finding, starting from one that had it. Returns the finding, or undefined if it does
 * not occur again.
 */
export const shrink = async <Value, Finding>(
  { values, seed, index }: Drawn<Value>,
  find: (value: Value) => Promise<Finding | undefined>,
  mayGoOn: () => boolean,
): Promise<Finding | undefined> => {
  let found: Finding | undefined;
  let problem: unknown;
  const property = fc.asyncProperty(values, async (value) => {
    if (!mayGoOn() || problem !== undefined) return true;
    try {
      const next = await find(value);
      found = next ?? found;
      return next === undefined;
    } catch (error) {
      problem = error;
      return true;
    }
  });
  await fc.check(property, { seed, path: `${index}`, numRuns: 1 }).catch((error: unknown) => {
    problem = error; // the generator may have been stopped
  });
  // If the check ended during shrinking, keep the best finding so far.
  if (problem !== undefined && !isEnd(problem)) throw problem;
  return found;
};

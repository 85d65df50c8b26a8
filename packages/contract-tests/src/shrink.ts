import fc from 'fast-check';
import { Hanging } from './exchange/patience.ts';
import { NoAnswer, Stopped } from './exchange/transport.ts';

/** How often shrinking is tried, and the most requests for one failure, and for all failures of a subject. */
interface MostShrinks {
  readonly tries: number;
  readonly requests: number;
  readonly requestsInAll: number;
}

/** Makes a function that begins with the next failure, and gives one that says whether more may be sent for it. */
export const createShrinkBudget = (sent: () => number, { tries, requests, requestsInAll }: MostShrinks) => {
  const last = sent() + requestsInAll;
  return (): (() => boolean) => {
    const most = Math.min(sent() + requests, last);
    let left = tries;
    return () => left-- > 0 && sent() < most;
  };
};

/** Whether an error says that no more can be sent: the service hangs or is away, or the run is to stop. */
export const isEnd = (error: unknown): error is Hanging | NoAnswer | Stopped =>
  error instanceof Hanging || error instanceof NoAnswer || error instanceof Stopped;

/** A value among those that a seed gives. */
interface Drawn<Value> {
  readonly values: fc.Arbitrary<Value>;
  readonly seed: number;
  readonly index: number;
}

/**
 * Looks for the smallest value that still has a finding, beginning with one that had it, and gives the finding.
 * `undefined` if even that one has it no more.
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
    problem = error; // the generator may be stopped too
  });
  // Where no more can be sent, what was found before is all that can be said.
  if (problem !== undefined && !isEnd(problem)) throw problem;
  return found;
};

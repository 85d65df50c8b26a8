import fc from 'fast-check';
import { Hanging } from './exchange/patience.ts';
import { NoAnswer } from './exchange/transport.ts';

/** The most requests that are sent to shrink one that fails. */
const MOST_SHRINKS = 300;

/** A value among those that a seed gives. */
export interface Drawn<Value> {
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
): Promise<Finding | undefined> => {
  let found: Finding | undefined;
  let sent = 0;
  let problem: unknown;
  const property = fc.asyncProperty(values, async (value) => {
    if (sent > MOST_SHRINKS || problem !== undefined) return true;
    sent += 1;
    try {
      const next = await find(value);
      found = next ?? found;
      return next === undefined;
    } catch (error) {
      problem = error;
      return true;
    }
  });
  await fc.check(property, { seed, path: `${index}`, numRuns: 1 });
  // Of a service that went away or hangs, what was found before is all that can be said.
  if (problem !== undefined && !(problem instanceof Hanging || problem instanceof NoAnswer)) throw problem;
  return found;
};

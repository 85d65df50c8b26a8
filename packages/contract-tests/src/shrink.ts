import fc from 'fast-check';
import type { Failure } from './exchange/failure.ts';
import { Hanging } from './exchange/send.ts';
import { NoAnswer, Stopped } from './exchange/transport.ts';
import type { Session } from './session.ts';

/** Limits: attempts per failure, requests per failure, requests for all failures of a subject. */
interface MostShrinks {
  readonly tries: number;
  readonly requests: number;
  readonly requestsInAll: number;
}

/** Whether an error ends a check: the service hangs or is unreachable, or the run must stop. */
export const isEnd = (error: unknown): error is Hanging | NoAnswer | Stopped =>
  error instanceof Hanging || error instanceof NoAnswer || error instanceof Stopped;

/** A failure, and the index of the generated value that caused it. */
export interface Suspect {
  readonly index: number;
  readonly failure: Failure;
}

/** Looks for the smallest value with a failure, starting from one that had it; undefined if it does not occur again. */
const shrink = async <Value>(
  values: fc.Arbitrary<Value>,
  parameters: { readonly seed: number; readonly path: string },
  find: (value: Value) => Promise<Failure | undefined>,
  hasBudget: () => boolean,
): Promise<Failure | undefined> => {
  let found: Failure | undefined;
  let problem: unknown;
  const property = fc.asyncProperty(values, async (value) => {
    if (!hasBudget() || problem !== undefined) return true;
    try {
      const next = await find(value);
      found = next ?? found;
      return next === undefined;
    } catch (error) {
      problem = error;
      return true;
    }
  });
  await fc.check(property, { ...parameters, numRuns: 1 }).catch((error: unknown) => {
    problem = error; // the generator may have been stopped
  });
  // If the check ended during shrinking, keep the best failure so far.
  if (problem !== undefined && !isEnd(problem)) throw problem;
  return found;
};

/** Shrinks the suspects of each kind to one failure. A failure that does not occur again stays unshrunk. */
export const shrinkAll = async <Value>(
  { sent, seed }: Session,
  values: fc.Arbitrary<Value>,
  suspects: Iterable<readonly [kind: string, suspects: readonly Suspect[]]>,
  most: MostShrinks,
  find: (kind: string, value: Value) => Promise<Failure | undefined>,
): Promise<Failure[]> => {
  const failures: Failure[] = [];
  const last = sent() + most.requestsInAll;
  for (const [kind, candidates] of suspects) {
    const end = Math.min(sent() + most.requests, last);
    let tries = most.tries;
    const hasBudget = (): boolean => tries-- > 0 && sent() < end;
    let failure: Failure | undefined;
    for (const { index } of candidates)
      failure ??= await shrink(values, { seed, path: `${index}` }, (value) => find(kind, value), hasBudget);
    failures.push(...[failure ?? candidates[0]?.failure].filter((each) => each !== undefined));
  }
  return failures;
};

import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { NotGenerated } from '../generation/filter.ts';
import { isSuccess } from '../http/rule.ts';
import type { Draft } from '../requests/draft.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import type { Session } from '../session.ts';
import type { Findings } from './findings.ts';

/** How many valid requests are tried until one gets a success: the others show less. */
const MOST_SAMPLES = 5;

/** A valid request that got a success if any did, and others. */
export interface Sample {
  readonly operation: Operation;
  readonly draft: Draft;
  readonly valid: ValidRequest;
  readonly others: readonly ValidRequest[];
}

/** A sample of each operation of a path that there is one for, GET first. */
export const takeSamples = async (
  { requestsOf, draftOf, seed }: Session,
  operations: readonly Operation[],
  askUsual: Findings['askUsual'],
): Promise<Sample[]> => {
  /** What is optional may turn a success into something else, as a condition does. */
  const sampleOf = async (operation: Operation): Promise<Sample[]> => {
    const drawn = fc.sample(requestsOf(operation), { seed, numRuns: MOST_SAMPLES }).map(withoutOptions);
    let served: ValidRequest | undefined;
    for (const valid of drawn) {
      const { reply } = await askUsual(operation, valid);
      if (!reply || !isSuccess(reply)) continue;
      served = valid;
      break;
    }
    const valid = served ?? drawn[0];
    if (!valid) return [];
    const others = drawn.filter((each) => each !== valid);
    return [{ operation, valid, others, draft: await draftOf(operation, valid) }];
  };

  const samples: Sample[] = [];
  let problem: NotGenerated | undefined;
  for (const operation of operations)
    try {
      samples.push(...(await sampleOf(operation)));
    } catch (error) {
      if (!(error instanceof NotGenerated)) throw error;
      problem = error;
    }
  if (samples.length === 0 && problem) throw problem;
  return samples.sort(
    (one, other) => Number(other.operation.method === 'GET') - Number(one.operation.method === 'GET'),
  );
};

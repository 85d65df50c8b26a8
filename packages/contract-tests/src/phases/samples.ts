import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { NotGenerated } from '../generation/filter.ts';
import { isSuccess } from '../http/rule.ts';
import type { Call } from '../requests/call.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import type { Session } from '../session.ts';
import type { Collector } from './collector.ts';

const MOST_SAMPLES = 5;

/** A valid request, if possible one that succeeded, and further ones. */
export interface Sample {
  readonly operation: Operation;
  readonly call: Call;
  readonly valid: ValidRequest;
  readonly others: readonly ValidRequest[];
}

/** Takes a sample of each operation of a path, GET first. */
export const takeSamples = async (
  { requestsOf, callOf, seed }: Session,
  operations: readonly Operation[],
  askUsual: Collector['askUsual'],
): Promise<Sample[]> => {
  /** Optional parameters are omitted: a condition, for example, may prevent a success. */
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
    return [{ operation, valid, others, call: await callOf(operation, valid) }];
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

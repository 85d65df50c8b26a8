import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { type Failure, failureOf } from '../exchange/failure.ts';
import { Hanging, type JudgedReply } from '../exchange/send.ts';
import { Stopped } from '../exchange/transport.ts';
import { NotGenerated } from '../generation/arbitraries.ts';
import { attempt } from '../http/attempt.ts';
import { isSuccess } from '../http/rule.ts';
import type { Call, HttpRule, Probe, Reply } from '../requests/call.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import type { Session } from '../session.ts';
import { type Findings, MOST_FAILURES } from './phase.ts';

/** Sends requests about a path, and collects notes and distinct failures. */
export const createCollector = ({ send, callOf }: Session) => {
  const failures = new Map<string, Failure>();
  const notes = new Set<string>();
  const report = (name: string, call: Call, judged: JudgedReply): void => {
    const key = `${call.operation.id} ${judged.breach?.what}`;
    const failure = failureOf({ name, call }, judged);
    if (failure && failures.size < MOST_FAILURES && !failures.has(key)) failures.set(key, failure);
  };
  const ask = (name: string, call: Call, rule?: HttpRule): Promise<JudgedReply> =>
    send(attempt(name, call, rule));
  return {
    /** Sends a request and judges the reply without reporting it. */
    ask,
    /** Sends a valid request unchanged. */
    askUsual: async (called: Operation, valid: ValidRequest): Promise<JudgedReply> =>
      ask('valid request', await callOf(called, valid)),
    report,
    sendAndReport: async (probe: Probe): Promise<Reply | undefined> => {
      const judged = await send(probe);
      report(probe.name, probe.call, judged);
      return judged.reply;
    },
    note: (text: string): void => void notes.add(text),
    /** Runs some work and returns its findings. Stops early if the service hangs or the run must stop. */
    findingsOf: async (work: () => Promise<void>): Promise<Findings> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Hanging || error instanceof Stopped)) throw error;
        if (error instanceof Hanging) notes.add(error.message);
      }
      return { failures: [...failures.values()], notes: [...notes] };
    },
  };
};

/** Collects the findings about a path. */
export type Collector = ReturnType<typeof createCollector>;

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

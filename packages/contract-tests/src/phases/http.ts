import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { type Failure, failureOf } from '../exchange/failure.ts';
import { Hanging } from '../exchange/patience.ts';
import type { Verdict } from '../exchange/send.ts';
import { Stopped } from '../exchange/transport.ts';
import { NotGenerated } from '../generation/filter.ts';
import { type Attempt, type Drafted, withMore } from '../http/attempt.ts';
import { headBesideGet, methodAttempts } from '../http/methods.ts';
import { pathAttempts } from '../http/paths.ts';
import { type HttpRule, isMisunderstood, isSuccess } from '../http/rule.ts';
import {
  acceptChoicesOf,
  bracketAttempts,
  excessAttempts,
  type Variant,
  variantsOf,
} from '../http/variants.ts';
import { type Draft, pathOf } from '../requests/draft.ts';
import { validProbeOf } from '../requests/probe.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import type { Outcome } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createTally } from '../tally.ts';
import type { Phase, Subject } from './phase.ts';

/** The most failures that are reported for one path. */
const MOST_FAILURES = 5;

/** How many valid requests are tried until one gets a success: the others show less. */
const MOST_SAMPLES = 5;

/** A valid request that got a success if any did, and others. */
interface Sample extends Drafted {
  readonly valid: ValidRequest;
  readonly others: readonly ValidRequest[];
}

/** Collects what was sent to a path, the failures, each of a kind once, and notes. */
const createFindings = ({ send }: Session, operation: Operation) => {
  const tally = createTally(operation);
  const failures = new Map<string, Failure>();
  const notes = new Set<string>();
  const report = (name: string, draft: Draft, verdict: Verdict): void => {
    const key = `${draft.operation.id} ${verdict.breach?.what}`;
    const failure = failureOf({ name, draft }, verdict);
    if (failure && failures.size < MOST_FAILURES && !failures.has(key)) failures.set(key, failure);
  };
  const ask = async (name: string, draft: Draft, http: HttpRule = {}): Promise<Verdict> => {
    const verdict = await send({ ...validProbeOf(draft), name, kind: name, http });
    tally.add(verdict);
    return verdict;
  };
  return {
    /** Sends a request whose reply is judged, but not reported. */
    ask,
    report,
    attempt: async ({ name, draft, rule }: Attempt): Promise<Verdict> => {
      const verdict = await ask(name, draft, rule);
      report(name, draft, verdict);
      return verdict;
    },
    note: (text: string): void => void notes.add(text),
    outcome: (): Outcome => ({ ...tally.counts(), failures: [...failures.values()], notes: [...notes] }),
  };
};

/** The phase about HTTP itself: methods, paths, and other ways to say the same. It examines each path of the contract. */
export const createHttpPhase = (session: Session): Phase => {
  const { operations, readings, seed, requestsOf, draftOf } = session;
  const { known, isKnown, methodsElsewhere } = createKnownPaths(operations);
  /** Paths have neighbours in common. */
  const tried = new Set<string>();

  const run = async (subject: Subject): Promise<Outcome> => {
    const [first] = subject.operations;
    if (!first) throw new Error('a subject without an operation');
    const { ask, report, attempt, note, outcome } = createFindings(session, first);
    const askUsual = async (operation: Operation, valid: ValidRequest): Promise<Verdict> =>
      ask('valid request', await draftOf(operation, valid));

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

    /** A sample of each operation that there is one for. */
    const takeSamples = async (): Promise<Sample[]> => {
      const samples: Sample[] = [];
      let problem: NotGenerated | undefined;
      for (const operation of subject.operations)
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

    const attemptsOf = (samples: readonly Sample[]): Attempt[] => {
      const [main] = samples;
      if (!main) return [];
      const path = pathOf(main.operation.path, main.draft.parameters);
      const declared = subject.operations.map(({ method }) => method);
      const isNew = (unknown: string): boolean => !tried.has(unknown) && Boolean(tried.add(unknown));
      return [
        ...methodAttempts(samples, declared, methodsElsewhere(main.operation.path, path)),
        ...pathAttempts(main, (unknown) => isKnown(unknown) || !isNew(unknown)),
        ...samples.flatMap(excessAttempts),
        ...samples.flatMap((sample) =>
          bracketAttempts(sample, ({ schema }) => readings.shapeOf(schema) === 'array'),
        ),
      ];
    };

    /** Two replies show which fields of a GET are the same each time. */
    const tryHead = async (sample: Sample): Promise<void> => {
      if (sample.operation.method !== 'GET') return;
      const verdicts = [await ask('GET', sample.draft), await ask('GET', sample.draft)];
      const replies = verdicts.flatMap(({ reply }) => reply ?? []);
      const head = subject.operations.find(({ method }) => method === 'HEAD');
      if (replies.length === verdicts.length)
        for (const each of headBesideGet(sample, replies, head)) await attempt(each);
    };

    /** Asks for a media type and nothing else, until a success shows whether it comes. */
    const tryAccept = async ({ operation, valid, others }: Sample, mediaType: string): Promise<void> => {
      for (const each of [valid, ...others]) {
        const draft = withMore(await draftOf(operation, each), 'header', 'Accept', mediaType);
        const name = `a valid request with Accept ${mediaType}`;
        const { reply, breach } = await attempt({ name, draft, rule: { mediaType } });
        if (breach || (reply && reply.status >= 200 && reply.status < 300)) return;
      }
      note(`${operation.id}: Accept ${mediaType} is not checked, because no request with it got a success`);
    };

    /** Sends a valid request in other words. If it is refused, the usual words show whose fault that is. */
    const tryVariant = async (
      { operation, valid }: Sample,
      { name, change, mayRefuseWith }: Variant,
    ): Promise<void> => {
      const draft = change(await draftOf(operation, valid));
      const { reply } = await ask(name, draft, { mayHangUp: true });
      if (!isMisunderstood(reply)) return;
      if (isMisunderstood((await askUsual(operation, valid)).reply)) return;
      if (reply && reply.status === mayRefuseWith)
        return note(`${operation.id}: refuses ${name} with ${reply.status}`);
      const again = await ask(name, draft, { isValid: true });
      // What the usual words have created may be in the way now.
      const what = `a valid request was refused with ${reply?.status ?? 'no answer'}`;
      report(name, draft, again.breach ? again : { reply, breach: { what, at: operation.at } });
    };

    try {
      const samples = await takeSamples();
      for (const each of attemptsOf(samples)) await attempt(each);
      for (const sample of samples) await tryHead(sample);
      for (const sample of samples)
        for (const type of acceptChoicesOf(sample.operation)) await tryAccept(sample, type);
      for (const sample of samples) {
        const { reply } = await askUsual(sample.operation, sample.valid);
        if (isMisunderstood(reply)) continue;
        for (const variant of variantsOf(sample)) await tryVariant(sample, variant);
      }
      return outcome();
    } catch (error) {
      if (!(error instanceof Hanging || error instanceof Stopped)) throw error;
      if (error instanceof Hanging) note(error.message);
      return outcome();
    }
  };

  return {
    name: 'http',
    promise: 'HTTP itself is served as its standards say',
    subjects: known.map(({ path, operations: own }) => ({ title: path, operations: own })),
    run,
  };
};

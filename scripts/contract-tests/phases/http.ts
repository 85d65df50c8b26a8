import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import type { Failure } from '../exchange/failure.ts';
import { Hanging } from '../exchange/patience.ts';
import type { Verdict } from '../exchange/send.ts';
import { NotGenerated } from '../generation/filter.ts';
import { acceptAttempts } from '../http/accept.ts';
import { type Attempt, crashOf, type Sample } from '../http/attempt.ts';
import { createKnownPaths } from '../http/known-paths.ts';
import { methodAttempts } from '../http/methods.ts';
import { pathAttempts } from '../http/paths.ts';
import { excessAttempts, MISUNDERSTOOD, type Variant, variantsOf } from '../http/variants.ts';
import { type Draft, pathOf } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import type { ValidRequest } from '../requests/valid.ts';
import type { Outcome } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createTally } from '../tally.ts';
import type { Phase, Subject } from './phase.ts';

/** The most failures that are reported for one path. */
const MOST_FAILURES = 5;

const probeOf = (name: string, draft: Draft): Probe => ({
  name,
  kind: name,
  draft,
  refusal: undefined,
  named: '',
  at: () => draft.operation.at,
});

const isMisunderstood = ({ answer }: Verdict): boolean =>
  !answer || MISUNDERSTOOD.includes(answer.status) || crashOf(answer) !== undefined;

/** What is wrong with what came of an attempt. */
const judge = ({ judge, mayHangUp = false }: Attempt, { answer, breach }: Verdict): string | undefined => {
  if (answer) return (mayHangUp ? undefined : answer.fault) ?? judge(answer);
  return mayHangUp && /ECONNRESET|EPIPE/.test(breach?.what ?? '') ? undefined : breach?.what;
};

/** Collects what was sent to a path, and the failures, each of a kind once. */
const createFindings = ({ send }: Session, operation: Operation) => {
  const tally = createTally(operation);
  const failures = new Map<string, Failure>();
  return {
    send: async (name: string, draft: Draft): Promise<Verdict> => {
      const probe = probeOf(name, draft);
      const verdict = await send(probe);
      tally.add(probe, verdict);
      return verdict;
    },
    report: (name: string, draft: Draft, { answer }: Verdict, what: string): void => {
      const key = `${draft.operation.id} ${what}`;
      const exchanges = [...(draft.before ?? []), { draft, answer }];
      if (failures.size < MOST_FAILURES && !failures.has(key))
        failures.set(key, { name, exchanges, breach: { what, at: draft.operation.at } });
    },
    outcome: (notes: readonly string[]): Outcome => ({
      ...tally.counts(),
      failures: [...failures.values()],
      notes,
    }),
  };
};

/** The phase about HTTP itself: methods, paths, and other ways to say the same. It examines each path of the contract. */
export const createHttpPhase = (session: Session): Phase => {
  const { operations, seed, requestsOf, draftOf } = session;
  const { known, isKnown, methodsElsewhere } = createKnownPaths(operations);
  /** Paths have neighbours in common. */
  const tried = new Set<string>();

  /** A valid request for each operation that there is one for. */
  const samplesOf = async (subject: Subject): Promise<(Sample & { valid: ValidRequest })[]> => {
    const samples: (Sample & { valid: ValidRequest })[] = [];
    let problem: NotGenerated | undefined;
    for (const operation of subject.operations)
      try {
        for (const valid of fc.sample(requestsOf(operation), { seed, numRuns: 1 }))
          samples.push({ operation, valid, draft: await draftOf(operation, valid) });
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
    const isNew = (unknown: string): boolean => !tried.has(unknown) && Boolean(tried.add(unknown));
    return [
      ...methodAttempts(samples, methodsElsewhere(main.operation.path, path)),
      ...pathAttempts(main, (unknown) => isKnown(unknown) || !isNew(unknown)),
      ...samples.flatMap(acceptAttempts),
      ...samples.flatMap(excessAttempts),
    ];
  };

  const run = async (subject: Subject): Promise<Outcome> => {
    const [first] = subject.operations;
    if (!first) throw new Error('a subject without an operation');
    const { send, report, outcome } = createFindings(session, first);

    /** Sends a valid request in other words. If it is refused, the usual words show whose fault that is. */
    const tryVariant = async (
      { operation, valid }: { operation: Operation; valid: ValidRequest },
      { name, change }: Variant,
    ): Promise<void> => {
      const draft = change(await draftOf(operation, valid));
      const verdict = await send(name, draft);
      if (!isMisunderstood(verdict)) return;
      if (isMisunderstood(await send('valid request', await draftOf(operation, valid)))) return;
      const { answer, breach } = verdict;
      const what = answer
        ? `a valid request was refused with ${answer.status}`
        : (breach?.what ?? 'no answer');
      report(name, draft, verdict, what);
    };

    try {
      const samples = await samplesOf(subject);
      for (const attempt of attemptsOf(samples)) {
        const verdict = await send(attempt.name, attempt.draft);
        const what = judge(attempt, verdict);
        if (what !== undefined) report(attempt.name, attempt.draft, verdict, what);
      }
      for (const sample of samples) {
        const usual = await send('valid request', await draftOf(sample.operation, sample.valid));
        if (isMisunderstood(usual)) continue;
        for (const variant of variantsOf(sample)) await tryVariant(sample, variant);
      }
      return outcome([]);
    } catch (error) {
      if (error instanceof Hanging) return outcome([error.message]);
      throw error;
    }
  };

  return {
    name: 'http',
    promise: 'HTTP itself is served as its standards say',
    subjects: known.map(({ path, operations: own }) => ({ title: path, operations: own })),
    run,
  };
};

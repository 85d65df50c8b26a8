import type { Operation } from '../document/operations.ts';
import { type Failure, failureOf } from '../exchange/failure.ts';
import { Hanging } from '../exchange/patience.ts';
import type { Verdict } from '../exchange/send.ts';
import { Stopped } from '../exchange/transport.ts';
import { attempt } from '../http/attempt.ts';
import type { Draft } from '../requests/draft.ts';
import type { HttpRule, Probe } from '../requests/probe.ts';
import type { ValidRequest } from '../requests/valid.ts';
import type { Outcome } from '../run-check.ts';
import type { Session } from '../session.ts';

/** The most failures that are reported for one path. */
const MOST_FAILURES = 5;

/** Collects what was sent to a path, the failures, each of a kind once, and notes. */
export const createFindings = ({ send, draftOf }: Session) => {
  const failures = new Map<string, Failure>();
  const notes = new Set<string>();
  const report = (name: string, draft: Draft, verdict: Verdict): void => {
    const key = `${draft.operation.id} ${verdict.breach?.what}`;
    const failure = failureOf({ name, draft }, verdict);
    if (failure && failures.size < MOST_FAILURES && !failures.has(key)) failures.set(key, failure);
  };
  const ask = (name: string, draft: Draft, rule?: HttpRule): Promise<Verdict> =>
    send(attempt(name, draft, rule));
  return {
    /** Sends a request whose reply is judged, but not reported. */
    ask,
    /** Sends a valid request in the usual words. */
    askUsual: async (called: Operation, valid: ValidRequest): Promise<Verdict> =>
      ask('valid request', await draftOf(called, valid)),
    report,
    /** Sends a request whose reply is judged and reported. */
    sendAndReport: async (probe: Probe): Promise<void> => report(probe.name, probe.draft, await send(probe)),
    note: (text: string): void => void notes.add(text),
    /** The outcome of some work, or of as much of it as could be done before the service hung or the run was to stop. */
    outcomeOf: async (work: () => Promise<void>): Promise<Outcome> => {
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

/** Collects what is found out about a path. */
export type Findings = ReturnType<typeof createFindings>;

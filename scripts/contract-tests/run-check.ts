import fc from 'fast-check';
import { type Operation, responseFor } from './document/operations.ts';
import type { Failure } from './exchange/failure.ts';
import { unfitOf } from './exchange/judge.ts';
import type { Send } from './exchange/send.ts';
import type { Draft } from './requests/draft.ts';
import type { Probe } from './requests/probe.ts';
import type { ValidRequest } from './requests/valid.ts';

/** A check: how its probes are made from valid requests, and how many. */
export interface Check {
  readonly probesOf: (draft: Draft, valid: ValidRequest) => Probe[];
  /** The number of valid requests from which probes are made. */
  readonly runs: number;
  /** How often a probe of the same kind is sent. */
  readonly timesEach: number;
  /** The most probes that are sent in all. */
  readonly most: number;
}

/** The outcome of a check. */
export interface Outcome {
  readonly requests: number;
  /** Answered below 400. */
  readonly accepted: number;
  /** Answered 4xx. */
  readonly refused: number;
  readonly failures: readonly Failure[];
  /** What the contract does not declare, or the check could not reach. Notes are not failures. */
  readonly notes: readonly string[];
}

/** How requests are made and sent. */
export interface CheckContext {
  readonly values: fc.Arbitrary<ValidRequest>;
  readonly draftOf: (valid: ValidRequest) => Promise<Draft>;
  readonly send: Send;
  readonly seed: number;
}

/** The most failures that one check reports; more would only repeat them. */
const MOST_FAILURES = 5;
/** The most requests that are sent to shrink one that fails. */
const MOST_SHRINKS = 300;

const notesOf = (
  { id }: Operation,
  statuses: readonly number[],
  undeclared: ReadonlySet<number>,
  unfit: ReadonlySet<string>,
): string[] => [
  ...[...unfit].map((note) => `${id}: the stub says ${note}`),
  ...(statuses.length > 0 && statuses.every((status) => status >= 400)
    ? [`${id}: no valid request got more than ${[...new Set(statuses)].join(', ')}`]
    : []),
  ...[...undeclared].map((status) => `${id}: answers ${status}, which it does not declare`),
];

/** Sends the probes of a check, and shrinks every request that gets a wrong answer. */
export const runCheck = async (
  operation: Operation,
  { probesOf, runs, timesEach, most }: Check,
  { values, draftOf, send, seed }: CheckContext,
): Promise<Outcome> => {
  const sent = new Map<string, number>();
  const statuses: number[] = [];
  const toValid: number[] = [];
  const undeclared = new Set<number>();
  const unfit = new Set<string>();
  const failures = new Map<string, Failure>();

  const isDue = ({ kind }: Probe): boolean => {
    const times = sent.get(kind) ?? 0;
    if (times >= timesEach || statuses.length >= most) return false;
    sent.set(kind, times + 1);
    return true;
  };

  /** The first new breach; or, while one is shrunk, that same breach. */
  const findBreach = async (valid: ValidRequest, only?: string): Promise<[string, Failure] | undefined> => {
    for (const probe of probesOf(await draftOf(valid), valid)) {
      if (only === undefined ? !isDue(probe) : !only.startsWith(`${probe.kind}\n`)) continue;
      const { answer, breach } = await send(probe);
      if (answer) statuses.push(answer.status);
      if (answer && probe.refusal === undefined) toValid.push(answer.status);
      const note = answer && unfitOf(answer);
      if (note !== undefined) unfit.add(note);
      if (answer && !responseFor(operation, answer.status)) undeclared.add(answer.status);
      if (!breach) continue;
      const key = `${probe.kind}\n${breach.at.pointer}\n${answer?.status}`;
      if (only === undefined ? !failures.has(key) : key === only)
        return [
          key,
          {
            name: probe.name,
            exchanges: [...(probe.draft.before ?? []), { draft: probe.draft, answer }],
            breach,
          },
        ];
    }
    return undefined;
  };

  const findOneMore = async (): Promise<boolean> => {
    let found: [string, Failure] | undefined;
    let shrinks = 0;
    const property = fc.asyncProperty(values, async (valid) => {
      if (found) shrinks += 1;
      if (shrinks > MOST_SHRINKS) return true;
      const next = await findBreach(valid, found?.[0]);
      found = next ?? found;
      return next === undefined;
    });
    const { failed, errorInstance } = await fc.check(property, { seed, numRuns: runs });
    if (failed && !found) throw errorInstance;
    if (found) failures.set(...found);
    return found !== undefined;
  };

  while (failures.size < MOST_FAILURES && (await findOneMore()));
  return {
    requests: statuses.length,
    accepted: statuses.filter((status) => status < 400).length,
    refused: statuses.filter((status) => status >= 400 && status < 500).length,
    failures: [...failures.values()],
    notes: failures.size > 0 ? [] : notesOf(operation, toValid, undeclared, unfit),
  };
};

import type { Failure } from '../exchange/failure.ts';
import type { Phase, Subject } from '../phases/phase.ts';
import type { Outcome } from '../run-check.ts';
import type { Counts } from '../tally.ts';

/** What a phase found out about a subject. */
export interface SubjectResult {
  readonly subject: Subject;
  readonly outcome: Outcome;
  readonly counts: Counts;
  /** Why it could not be checked, if that is the fault of the service or of the contract; counts as a failure. */
  readonly problem?: string;
  readonly milliseconds: number;
}

/** What a phase found out. */
export interface PhaseResult {
  readonly phase: Phase;
  readonly subjects: readonly SubjectResult[];
}

/** Why a run ended before all was done. */
export interface EarlyEnd {
  readonly kind: 'failure' | 'stopped' | 'away';
  /** As a sentence: `the time is up`. */
  readonly why: string;
  /** What was not examined: the name of a phase, and its subjects. */
  readonly leftOut: readonly { readonly phase: string; readonly subjects: readonly string[] }[];
}

/** What a run found out. */
export interface Results {
  readonly phases: readonly PhaseResult[];
  readonly notes: readonly string[];
  /** `undefined` if all was examined. */
  readonly end: EarlyEnd | undefined;
}

/** All that failed about a subject, in words. */
export const tellFailures = (
  { outcome, problem }: SubjectResult,
  tell: (failure: Failure) => string,
): string[] => [...outcome.failures.map(tell), ...(problem === undefined ? [] : [problem])];

/** The number of failures of a subject. */
export const failuresIn = ({ outcome, problem }: SubjectResult): number =>
  outcome.failures.length + (problem === undefined ? 0 : 1);

/** What the results of some subjects add up to. */
export const countsOf = (subjects: readonly SubjectResult[]) => {
  const sum = (of: (result: SubjectResult) => number): number =>
    subjects.reduce((total, result) => total + of(result), 0);
  return {
    requests: sum(({ counts }) => counts.requests),
    accepted: sum(({ counts }) => counts.accepted),
    refused: sum(({ counts }) => counts.refused),
    failures: sum(failuresIn),
  };
};

/** The number of failures of a run. */
export const countFailures = ({ phases }: Pick<Results, 'phases'>): number =>
  countsOf(phases.flatMap(({ subjects }) => subjects)).failures;

/** The name of a subject in tables and reports; an operation comes with its method and path. */
export const nameOf = ({ title, operations }: Subject): string => {
  const [operation] = operations;
  return operations.length === 1 && operation?.id === title
    ? `${title} (${operation.method} ${operation.path})`
    : title;
};

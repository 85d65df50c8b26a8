import type { Failure } from '../exchange/failure.ts';
import type { Findings, Phase, Subject } from '../phases/phase.ts';
import type { Counts } from '../tally.ts';

/** The result of a subject in a phase. */
export interface SubjectResult {
  readonly subject: Subject;
  readonly findings: Findings;
  readonly counts: Counts;
  /** Why the subject could not be checked, if the service or the contract is at fault. Counts as a failure. */
  readonly problem?: string;
  readonly milliseconds: number;
}

/** The results of a phase. */
export interface PhaseResult {
  readonly phase: Phase;
  readonly subjects: readonly SubjectResult[];
}

/** Why a run ended early. */
export interface EarlyEnd {
  readonly kind: 'failure' | 'stopped' | 'away';
  /** As a sentence: `the time is up`. */
  readonly why: string;
  /** The subjects that were left out, by phase. */
  readonly leftOut: readonly { readonly phase: string; readonly subjects: readonly string[] }[];
}

/** The results of a run. */
export interface Results {
  readonly phases: readonly PhaseResult[];
  readonly notes: readonly string[];
  /** `undefined` if everything was tested. */
  readonly end: EarlyEnd | undefined;
}

/** Describes all failures of a subject. */
export const tellFailures = (
  { findings, problem }: SubjectResult,
  tell: (failure: Failure) => string,
): string[] => [...findings.failures.map(tell), ...(problem === undefined ? [] : [problem])];

/** The number of failures of a subject. */
export const failuresIn = ({ findings, problem }: SubjectResult): number =>
  findings.failures.length + (problem === undefined ? 0 : 1);

/** Sums the counts of subjects. */
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

/** The name of a subject in tables and reports; for an operation with its method and path. */
export const nameOf = ({ title, operations }: Subject): string => {
  const [operation] = operations;
  return operations.length === 1 && operation?.id === title
    ? `${title} (${operation.method} ${operation.path})`
    : title;
};

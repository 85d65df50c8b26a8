import type { Contract } from '../document/contract.ts';
import { type Failure, operationOf } from '../exchange/failure.ts';
import { countFailures, countsOf, type PhaseResult, type Results, type SubjectResult } from './results.ts';

/** Facts about a run. */
export interface RunFacts {
  readonly spec: string;
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  readonly began: Date;
  readonly milliseconds: number;
}

/** Renders a run as JSON. `docs/how-to/test-a-contract.md` describes the members. */
export const renderJson = (
  { phases, notes, end }: Results,
  { requests, began, milliseconds, ...facts }: RunFacts,
  { nameOf }: Pick<Contract, 'nameOf'>,
  tell: (failure: Failure) => string,
): string => {
  const failures = countFailures({ phases });
  const failureOf = (failure: Failure): object => ({
    operation: operationOf(failure).id,
    name: failure.name,
    what: failure.breach.what,
    place: nameOf(failure.breach.at),
    pointer: failure.breach.at,
    text: tell(failure),
  });
  const subjectOf = (result: SubjectResult): object => ({
    title: result.subject.title,
    operations: result.subject.operations.map(({ id, method, path }) => ({ id, method, path })),
    milliseconds: Math.round(result.milliseconds),
    ...countsOf([result]),
    ...(result.problem !== undefined && { problem: result.problem }),
    found: result.findings.failures.map(failureOf),
  });
  const phaseOf = ({ phase, subjects }: PhaseResult): object => ({
    name: phase.name,
    promise: phase.promise,
    ...countsOf(subjects),
    subjects: subjects.map(subjectOf),
  });
  const report = {
    version: 1,
    ...facts,
    requestsPerOperation: requests,
    began,
    milliseconds: Math.round(milliseconds),
    isKept: failures === 0 && end?.kind !== 'away',
    end: end ? { why: end.why, leftOut: end.leftOut } : null,
    ...countsOf(phases.flatMap(({ subjects }) => subjects)),
    phases: phases.map(phaseOf),
    notes,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
};

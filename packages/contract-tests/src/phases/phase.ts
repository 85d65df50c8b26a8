import type { Operation } from '../document/operations.ts';
import type { Failure } from '../exchange/failure.ts';
import type { Counts, Unchecked } from '../tally.ts';

/** The findings of a check. */
export interface Findings {
  /** The counts of a check that sends nothing itself. */
  readonly received?: Counts;
  readonly failures: readonly Failure[];
  /** Undeclared behaviour, or limits of the check. Notes are not failures. */
  readonly notes: readonly string[];
  readonly unchecked?: readonly Unchecked[];
}

/** The most failures that are reported for a subject. */
export const MOST_FAILURES = 5;

/** A unit of a phase: one operation, or several that belong together. */
export interface Subject {
  /** `createThing`, or the path that several operations share. */
  readonly title: string;
  readonly operations: readonly Operation[];
  readonly run: () => Promise<Findings>;
}

/** A part of a run: one kind of check, applied to all its subjects. */
export interface Phase {
  /** One word, for tables and options. */
  readonly name: string;
  /** A sentence about services that pass. */
  readonly promise: string;
  readonly subjects: readonly Subject[];
  /** The operations that it cannot check. */
  readonly unchecked?: readonly Unchecked[];
}

/** One subject per operation. */
export const eachOperation = (
  operations: readonly Operation[],
  run: (operation: Operation) => Promise<Findings>,
): Subject[] =>
  operations.map((operation) => ({
    title: operation.id,
    operations: [operation],
    run: () => run(operation),
  }));

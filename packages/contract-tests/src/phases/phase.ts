import type { Operation } from '../document/operations.ts';
import type { Findings } from '../run-check.ts';
import type { Unchecked } from '../tally.ts';

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

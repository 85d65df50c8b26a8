import type { Operation } from '../document/operations.ts';
import type { Outcome } from '../run-check.ts';
import type { Unchecked } from '../tally.ts';

/** What a phase examines at a time: one operation, or several that belong together. */
export interface Subject {
  /** `createThing`, or the path that several operations share. */
  readonly title: string;
  readonly operations: readonly Operation[];
  readonly run: () => Promise<Outcome>;
}

/** A part of a run: one kind of check, of everything in the contract that it is about. */
export interface Phase {
  /** One word, for tables and options. */
  readonly name: string;
  /** What a service that passes it does, as a sentence. */
  readonly promise: string;
  readonly subjects: readonly Subject[];
  /** The operations that it cannot examine, by their id. */
  readonly unchecked?: readonly Unchecked[];
}

/** The subjects of a phase that examines each operation by itself. */
export const eachOperation = (
  operations: readonly Operation[],
  run: (operation: Operation) => Promise<Outcome>,
): Subject[] =>
  operations.map((operation) => ({
    title: operation.id,
    operations: [operation],
    run: () => run(operation),
  }));

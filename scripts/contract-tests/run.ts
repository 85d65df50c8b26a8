import { renderTable } from '../support/table.ts';
import { CHECKS, type CheckOptions, createChecks } from './checks.ts';
import { findWrongExamples } from './examples.ts';
import { isOutOfReach, missingFor } from './exchange/credentials.ts';
import { createTell } from './exchange/failure.ts';
import { NoAnswer } from './exchange/transport.ts';
import { NotGenerated } from './generation/filter.ts';
import type { Outcome } from './run-check.ts';

/** The options of a run. */
export interface RunOptions extends CheckOptions {
  readonly url: string;
  /** Only this operation. */
  readonly operation?: string | undefined;
  /** Called with the progress after every answer. */
  readonly report: (text: string) => void;
}

/** The outcome of a run: a text for people and the number of failures. */
export interface RunResult {
  readonly text: string;
  readonly failures: number;
}

const sum = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0);

const HEADER = ['operation', 'requests', 'accepted', 'refused', 'failures'];

const rowOf = (title: string, outcomes: readonly Outcome[], failures: number): string[] => [
  title,
  ...[
    sum(outcomes, ({ requests }) => requests),
    sum(outcomes, ({ accepted }) => accepted),
    sum(outcomes, ({ refused }) => refused),
    failures,
  ].map((count) => count.toLocaleString('en')),
];

/** Runs every check of every operation. Throws if it cannot start. */
export const run = async ({ report, ...options }: RunOptions): Promise<RunResult> => {
  let answers = 0;
  let current = '';
  const { operations, check } = createChecks({
    ...options,
    onAnswer: () => {
      answers += 1;
      report(`${current}: ${answers.toLocaleString('en')} requests so far`);
    },
  });
  const chosen = operations.filter(({ id }) => options.operation === undefined || id === options.operation);
  if (operations.length === 0) return { text: 'The contract has no operations.', failures: 0 };
  if (chosen.length === 0)
    throw new Error(
      `there is no operation ${options.operation}; there are ${operations.map(({ id }) => id).join(', ')}`,
    );
  const reachable = chosen.filter((operation) => !isOutOfReach(operation));
  const missing = reachable.flatMap((operation) => missingFor(operation, options.credentials) ?? []);
  if (missing.length > 0) throw new Error(missing.join('\n'));

  const tell = createTell(options.contract, options.url);
  const rows: string[][] = [];
  const failureTexts: string[] = [];
  const notes = chosen
    .filter(isOutOfReach)
    .map(({ id }) => `${id}: is left out, because this command cannot send the credentials that it asks for`);
  const all: Outcome[] = [];
  for (const operation of reachable) {
    current = operation.id;
    const outcomes: Outcome[] = [];
    const failures: string[] = [];
    notes.push(...findWrongExamples(options.contract, operation));
    try {
      for (const name of CHECKS) outcomes.push(await check(operation, name));
    } catch (error) {
      if (!(error instanceof Error) || error instanceof NoAnswer) throw error;
      const told = error instanceof NotGenerated ? notes : failures;
      told.push(`${operation.id}: cannot be checked: ${error.message}`);
    }
    failures.push(...outcomes.flatMap((outcome) => outcome.failures.map(tell)));
    failureTexts.push(...failures);
    notes.push(...outcomes.flatMap((outcome) => outcome.notes));
    all.push(...outcomes);
    rows.push(rowOf(`${operation.id} (${operation.method} ${operation.path})`, outcomes, failures.length));
  }
  if (rows.length > 1) rows.push(rowOf('all operations', all, failureTexts.length));
  const text = [
    ...failureTexts,
    renderTable(HEADER, rows),
    ...(notes.length === 0 ? [] : [[...new Set(notes)].map((note) => `note  ${note}`).join('\n')]),
  ].join('\n\n');
  return { text, failures: failureTexts.length };
};

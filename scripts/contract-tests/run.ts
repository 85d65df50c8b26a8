import { renderTable } from '../support/table.ts';
import { findWrongExamples } from './examples.ts';
import { isOutOfReach, missingFor } from './exchange/credentials.ts';
import { createTell } from './exchange/failure.ts';
import { NoAnswer } from './exchange/transport.ts';
import { NotGenerated } from './generation/filter.ts';
import type { Phase, Subject } from './phases/phase.ts';
import { createPhases } from './phases/phases.ts';
import type { Outcome } from './run-check.ts';
import { createSession, type SessionOptions } from './session.ts';

/** The options of a run. */
export interface RunOptions extends SessionOptions {
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

/** What a run found out about a subject. */
interface Findings {
  readonly outcomes: Outcome[];
  /** Each with all that there is to say. */
  readonly failures: string[];
}

const sum = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0);

const HEADER = ['operation', 'requests', 'accepted', 'refused', 'failures'];

const rowOf = (title: string, { outcomes, failures }: Findings): string[] => [
  title,
  ...[
    sum(outcomes, ({ requests }) => requests),
    sum(outcomes, ({ accepted }) => accepted),
    sum(outcomes, ({ refused }) => refused),
    failures.length,
  ].map((count) => count.toLocaleString('en')),
];

const nameOf = ({ title, operations }: Subject): string => {
  const [operation] = operations;
  return operations.length === 1 && operation?.id === title
    ? `${title} (${operation.method} ${operation.path})`
    : title;
};

/** Runs every phase of a contract. Throws if it cannot start. */
export const run = async ({ report, ...options }: RunOptions): Promise<RunResult> => {
  let answers = 0;
  let current = '';
  const session = createSession({
    ...options,
    onAnswer: () => {
      answers += 1;
      report(`${current}: ${answers.toLocaleString('en')} requests so far`);
    },
  });
  const { operations } = session;
  const chosen = operations.filter(({ id }) => options.operation === undefined || id === options.operation);
  if (operations.length === 0) return { text: 'The contract has no operations.', failures: 0 };
  if (chosen.length === 0)
    throw new Error(
      `there is no operation ${options.operation}; there are ${operations.map(({ id }) => id).join(', ')}`,
    );
  const reachable = new Set(chosen.filter((operation) => !isOutOfReach(operation)));
  const missing = [...reachable].flatMap((operation) => missingFor(operation, options.credentials) ?? []);
  if (missing.length > 0) throw new Error(missing.join('\n'));

  const tell = createTell(options.contract, options.url);
  const notes = chosen
    .filter(isOutOfReach)
    .map(({ id }) => `${id}: is left out, because this command cannot send the credentials that it asks for`);
  notes.push(...[...reachable].flatMap((operation) => findWrongExamples(options.contract, operation)));

  const found = new Map<string, Findings>();
  /** Subjects of which no request can be made: later phases would only say so again. */
  const spoiled = new Set<string>();
  const examine = async (phase: Phase, subject: Subject): Promise<void> => {
    const findings = found.get(nameOf(subject)) ?? { outcomes: [], failures: [] };
    found.set(nameOf(subject), findings);
    if (spoiled.has(subject.title)) return;
    current = `${phase.name}: ${subject.title}`;
    try {
      const outcome = await phase.run(subject);
      findings.outcomes.push(outcome);
      findings.failures.push(...outcome.failures.map(tell));
      notes.push(...outcome.notes);
    } catch (error) {
      if (!(error instanceof Error) || error instanceof NoAnswer) throw error;
      spoiled.add(subject.title);
      const told = error instanceof NotGenerated ? notes : findings.failures;
      told.push(`${subject.title}: cannot be checked: ${error.message}`);
    }
  };
  for (const phase of createPhases(session))
    for (const subject of phase.subjects)
      if (subject.operations.every((operation) => reachable.has(operation))) await examine(phase, subject);

  const all = [...found.values()];
  const whole = {
    outcomes: all.flatMap(({ outcomes }) => outcomes),
    failures: all.flatMap(({ failures }) => failures),
  };
  const rows = [...found].map(([title, findings]) => rowOf(title, findings));
  if (rows.length > 1) rows.push(rowOf('all operations', whole));
  const text = [
    ...whole.failures,
    renderTable(HEADER, rows),
    ...(notes.length === 0 ? [] : [[...new Set(notes)].map((note) => `note  ${note}`).join('\n')]),
  ].join('\n\n');
  return { text, failures: whole.failures.length };
};

import { findWrongExamples } from './examples.ts';
import { isOutOfReach, missingFor } from './exchange/credentials.ts';
import { NoAnswer } from './exchange/transport.ts';
import { NotGenerated } from './generation/filter.ts';
import type { Phase, Subject } from './phases/phase.ts';
import { createPhases } from './phases/phases.ts';
import {
  type EarlyEnd,
  failuresIn,
  type PhaseResult,
  type Results,
  type SubjectResult,
} from './report/results.ts';
import { isAbout, type Selection, selectOperations, selectPhases } from './selection.ts';
import { createSession, type SessionOptions } from './session.ts';
import { Stopped, stopOn, watch } from './watch.ts';

/** How far a run has come. */
export interface Progress {
  readonly phase: string;
  readonly subject: string;
  readonly requests: number;
  readonly failures: number;
}

/** What is examined, and when to stop. */
export interface ExamineOptions extends SessionOptions, Selection {
  /** Whether to stop after the first subject that has failures. */
  readonly failFast?: boolean | undefined;
  /** Ends the run when it is given; its reason is a sentence. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every answer. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Credentials are missing, so that operations cannot be called. */
export class CredentialsMissing extends Error {}

const NOTHING = { requests: 0, accepted: 0, refused: 0, failures: [], notes: [] } as const;

interface Task {
  readonly phase: Phase;
  readonly subject: Subject;
}

/** The results of what was examined, phase by phase. */
const byPhase = (phases: readonly Phase[], done: readonly (Task & SubjectResult)[]): PhaseResult[] => {
  const results = new Map(phases.map((phase) => [phase, [] as SubjectResult[]]));
  for (const { phase, ...result } of done) results.get(phase)?.push(result);
  return [...results].map(([phase, subjects]) => ({ phase, subjects }));
};

const leftOutOf = (tasks: readonly Task[]): EarlyEnd['leftOut'] => {
  const titles = new Map<string, string[]>();
  for (const { phase, subject } of tasks)
    titles.set(phase.name, [...(titles.get(phase.name) ?? []), subject.title]);
  return [...titles].map(([phase, subjects]) => ({ phase, subjects }));
};

/** Runs every phase of a contract that has operations. Throws if it cannot start. */
export const examine = async (options: ExamineOptions): Promise<Results> => {
  const { contract, credentials, signal, failFast, onProgress } = options;
  const progress = { phase: '', subject: '', requests: 0, failures: 0 };
  const session = createSession({
    ...options,
    transport: stopOn(signal, options.transport),
    onAnswer: () => {
      progress.requests += 1;
      onProgress?.(progress);
    },
  });
  const chosen = selectOperations(session.operations, options);
  const reachable = chosen.filter((operation) => !isOutOfReach(operation));
  const missing = reachable.flatMap((operation) => missingFor(operation, credentials) ?? []);
  if (missing.length > 0) throw new CredentialsMissing(missing.join('\n'));

  const watched = watch(session);
  /** Subjects of which no request can be made: later phases would only say so again. */
  const spoiled = new Set<string>();
  let end: Omit<EarlyEnd, 'leftOut'> | undefined;

  const runPhase = async ({ phase, subject }: Task): Promise<Omit<SubjectResult, 'milliseconds'>> => {
    if (spoiled.has(subject.title)) return { subject, outcome: NOTHING };
    watched.begin();
    try {
      return { subject, outcome: await phase.run(subject) };
    } catch (error) {
      if (error instanceof Stopped) end = { kind: 'stopped', why: error.message };
      else if (error instanceof NoAnswer)
        end = { kind: 'away', why: `the service went away (${error.message})` };
      if (end) return { subject, outcome: watched.outcomeSoFar() };
      if (!(error instanceof Error)) throw error;
      spoiled.add(subject.title);
      const problem = `${subject.title}: cannot be checked: ${error.message}`;
      return error instanceof NotGenerated
        ? { subject, outcome: { ...NOTHING, notes: [problem] } }
        : { subject, outcome: NOTHING, problem };
    }
  };

  const phases = selectPhases(createPhases(watched.session), options);
  const isChosen = isAbout(new Set(reachable));
  const tasks = phases.flatMap((phase) =>
    phase.subjects.filter(isChosen).map((subject) => ({ phase, subject })),
  );
  const done: (Task & SubjectResult)[] = [];
  let complete = 0;
  for (const task of tasks) {
    if (signal?.aborted) end = { kind: 'stopped', why: String(signal.reason) };
    if (end) break;
    Object.assign(progress, { phase: task.phase.name, subject: task.subject.title });
    const began = performance.now();
    const result = { ...task, ...(await runPhase(task)), milliseconds: performance.now() - began };
    done.push(result);
    progress.failures += failuresIn(result);
    // A subject that was cut short is not complete, so it counts as left out.
    if (!end) complete += 1;
    if (failFast && progress.failures > 0) end ??= { kind: 'failure', why: 'stopped at the first failure' };
  }
  const notes = [
    ...chosen
      .filter(isOutOfReach)
      .map(
        ({ id }) => `${id}: is left out, because this command cannot send the credentials that it asks for`,
      ),
    ...reachable.flatMap((operation) => findWrongExamples(contract, operation)),
    ...done.flatMap(({ outcome }) => outcome.notes),
  ];
  return {
    phases: byPhase(phases, done),
    notes: [...new Set(notes)],
    end: end && { ...end, leftOut: leftOutOf(tasks.slice(complete)) },
    probeOf: watched.probeOf,
  };
};

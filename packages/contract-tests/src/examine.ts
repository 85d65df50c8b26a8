import { choosePhases } from './choose-phases.ts';
import { operationOf } from './exchange/failure.ts';
import { Hanging } from './exchange/patience.ts';
import { NoAnswer } from './exchange/transport.ts';
import { NotGenerated } from './generation/filter.ts';
import { BadSchema } from './oracle/oracle.ts';
import type { Phase, Subject } from './phases/phase.ts';
import type { Progress } from './report/progress.ts';
import { type EarlyEnd, failuresIn, type Results, type SubjectResult } from './report/results.ts';
import type { Findings } from './run-check.ts';
import type { Selection } from './selection.ts';
import { createSession, type SessionOptions } from './session.ts';
import { createStop, TIME_IS_UP } from './stop.ts';
import { describeUnchecked } from './tally.ts';

/** The options of a run. */
export interface ExamineOptions extends SessionOptions, Selection {
  /** Whether to stop after the first subject with failures. */
  readonly failFast?: boolean | undefined;
  /** How long the run may take. The subjects share the time. */
  readonly timeMs?: number | undefined;
  /** Stops the run when aborted; its reason is a sentence. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every reply. */
  readonly onProgress?: (progress: Progress) => void;
}

const NOTHING = { failures: [], notes: [] } as const;

/** Whether an error is about the contract or the service. Any other error is ours. */
export const isExplained = (error: Error): boolean =>
  error instanceof NotGenerated || error instanceof BadSchema || error instanceof Hanging;

interface Task {
  readonly phase: Phase;
  readonly subject: Subject;
}

/** Runs every phase of a contract that has operations. Throws if it cannot start. */
export const examine = async (options: ExamineOptions): Promise<Results> => {
  const { signal, failFast, onProgress, timeMs = Number.POSITIVE_INFINITY } = options;
  const deadline = performance.now() + timeMs;
  const stop = createStop(signal, options.transport);
  const progress = { phase: '', subject: '', requests: 0, failures: 0 };
  const session = createSession({
    ...options,
    transport: stop.transport,
    checkTime: stop.check,
    onReply: () => {
      progress.requests += 1;
      onProgress?.(progress);
    },
  });
  const { outOfReach, reachable, phases } = choosePhases(session, options, options.credentials);
  /** Titles of subjects for which no request can be made. Later phases skip them. */
  const skipped = new Set<string>();
  let end: Omit<EarlyEnd, 'leftOut'> | undefined;

  /** Runs a subject. Without an findings, it was cut short. */
  const runSubject = async ({
    phase,
    subject,
  }: Task): Promise<Partial<Pick<SubjectResult, 'findings' | 'problem'>>> => {
    if (skipped.has(subject.title)) return { findings: NOTHING };
    try {
      return { findings: await subject.run() };
    } catch (error) {
      if (error instanceof NoAnswer) {
        end = { kind: 'away', why: `the service went away (${error.message})` };
        return {};
      }
      // The generator may throw anything once it is stopped.
      if (stop.hasCut()) return {};
      if (!(error instanceof Error)) throw error;
      if (!isExplained(error)) throw new Error(`${phase.name} of ${subject.title}: ${error.stack}`);
      skipped.add(subject.title);
      const problem = `${subject.title}: cannot be checked: ${error.message}`;
      return error instanceof NotGenerated
        ? { findings: { ...NOTHING, notes: [problem] } }
        : { findings: NOTHING, problem };
    }
  };

  const done: (Task & SubjectResult)[] = [];
  const leftOut: Task[] = [];

  const runTask = async (task: Task, allowance: number): Promise<void> => {
    if (signal?.aborted) end ??= { kind: 'stopped', why: String(signal.reason) };
    const began = performance.now();
    if (end || began >= deadline) return void leftOut.push(task);
    Object.assign(progress, { phase: task.phase.name, subject: task.subject.title });
    stop.begin(allowance, deadline);
    const { findings: whole, ...rest } = await runSubject(task);
    const { counts, notes, failures } = session.takeNews();
    const findings: Findings = whole ?? { failures, notes: [] };
    const isCut = stop.hasCut() || end !== undefined;
    if (isCut) leftOut.push(task);
    if (stop.hasCut() && counts.requests === 0) return;
    // The notes of an interrupted subject would be incomplete.
    const told = [...notes, ...(stop.hasCut() ? [] : findings.notes)];
    const result = {
      ...task,
      ...rest,
      findings: { ...findings, notes: told },
      counts: findings.received ?? counts,
      milliseconds: performance.now() - began,
    };
    done.push(result);
    progress.failures += failuresIn(result);
    if (failFast && progress.failures > 0) end ??= { kind: 'failure', why: 'stopped at the first failure' };
  };
  const tasks = phases.flatMap((phase) => phase.subjects.map((subject) => ({ phase, subject })));
  for (const [index, task] of tasks.entries())
    await runTask(task, (deadline - performance.now()) / (tasks.length - index));
  if (leftOut.length > 0)
    end ??= { kind: 'stopped', why: signal?.aborted ? String(signal.reason) : TIME_IS_UP };

  const failed = new Set(
    done.flatMap(({ findings }) => findings.failures.map((failure) => operationOf(failure).at)),
  );
  const notes = [
    ...outOfReach.map(
      ({ id }) => `${id}: is left out, because this command cannot send the credentials that it asks for`,
    ),
    ...reachable.flatMap((operation) => (failed.has(operation.at) ? [] : session.notesOf(operation))),
    ...done.flatMap(({ findings }) => findings.notes),
    ...describeUnchecked([
      ...phases
        .flatMap(({ unchecked = [] }) => unchecked)
        .filter(({ where }) => reachable.some(({ id }) => id === where)),
      ...done.flatMap(({ findings }) => findings.unchecked ?? []),
    ]),
  ];
  const of = <T extends Task>(phase: Phase, tasks: readonly T[]): T[] =>
    tasks.filter((task) => task.phase === phase);
  return {
    phases: phases.map((phase) => ({ phase, subjects: of(phase, done) })),
    notes: [...new Set(notes)],
    end: end && {
      ...end,
      leftOut: phases
        .map((phase) => ({
          phase: phase.name,
          subjects: of(phase, leftOut).map(({ subject }) => subject.title),
        }))
        .filter(({ subjects }) => subjects.length > 0),
    },
  };
};

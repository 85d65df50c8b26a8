import { choosePhases } from './choose-phases.ts';
import { operationOf } from './exchange/failure.ts';
import { Hanging } from './exchange/send.ts';
import { NoAnswer, Stopped, type Transport } from './exchange/transport.ts';
import { NotGenerated } from './generation/arbitraries.ts';
import type { Findings, Phase, Subject } from './phases/phase.ts';
import type { Progress } from './report/progress.ts';
import { type EarlyEnd, failuresIn, type Results, type SubjectResult } from './report/results.ts';
import { BadSchema } from './schemas/oracle.ts';
import type { Selection } from './selection.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import { describeUnchecked } from './tally.ts';

/** Creates a transport that throws `Stopped` once the signal is aborted or the time is up. */
const createStop = (signal: AbortSignal | undefined, { send, ...rest }: Transport) => {
  let until = Number.POSITIVE_INFINITY;
  let allowance: number | undefined;
  let stopped: Stopped | undefined;
  const check = (): void => {
    if (signal?.aborted) stopped = new Stopped(String(signal.reason));
    else if (performance.now() >= until) stopped = new Stopped(TIME_IS_UP);
    if (stopped) throw stopped;
  };
  const transport: Transport = {
    ...rest,
    send: async (request) => {
      // The time before the first request was spent on generation.
      if (allowance !== undefined) until = Math.min(until, performance.now() + allowance);
      allowance = undefined;
      check();
      return send(request);
    },
  };
  return {
    transport,
    /** Throws `Stopped` if it is time to stop, for long work without requests. */
    check,
    /** Starts a time limit: `milliseconds` from the first request, but not after `moment` by `performance.now()`. */
    begin: (milliseconds: number, moment: number): void => {
      until = moment;
      allowance = milliseconds;
      stopped = undefined;
    },
    /** Whether it has stopped since then. */
    hasCut: (): boolean => stopped !== undefined,
  };
};

/** The reason of a stop by a time limit. */
const TIME_IS_UP = 'the time is up';

/** The options of a run. */
interface ExamineOptions extends SessionOptions, Selection {
  readonly failFast?: boolean | undefined;
  /** How long the run may take. The subjects share the time. */
  readonly timeMs?: number | undefined;
  /** Stops the run when aborted; its reason is a sentence. */
  readonly signal?: AbortSignal | undefined;
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

interface Run {
  readonly session: Session;
  readonly stop: ReturnType<typeof createStop>;
  readonly options: ExamineOptions;
  readonly progress: { phase: string; subject: string; requests: number; failures: number };
  /** Titles of subjects for which no request can be made. Later phases skip them. */
  readonly skipped: Set<string>;
  readonly done: (Task & SubjectResult)[];
  readonly leftOut: Task[];
  end: Omit<EarlyEnd, 'leftOut'> | undefined;
}

/** Runs a subject. Without findings, it was cut short. */
const runSubject = async (run: Run, { phase, subject }: Task): Promise<Partial<SubjectResult>> => {
  if (run.skipped.has(subject.title)) return { findings: NOTHING };
  try {
    return { findings: await subject.run() };
  } catch (error) {
    if (error instanceof NoAnswer)
      run.end = { kind: 'away', why: `the service went away (${error.message})` };
    // The generator may throw anything once it is stopped.
    if (error instanceof NoAnswer || run.stop.hasCut()) return {};
    if (!(error instanceof Error)) throw error;
    if (!isExplained(error)) throw new Error(`${phase.name} of ${subject.title}: ${error.stack}`);
    run.skipped.add(subject.title);
    const problem = `${subject.title}: cannot be checked: ${error.message}`;
    return error instanceof NotGenerated
      ? { findings: { ...NOTHING, notes: [problem] } }
      : { findings: NOTHING, problem };
  }
};

const runTask = async (run: Run, task: Task, deadline: number, allowance: number): Promise<void> => {
  const { options, stop, progress } = run;
  if (options.signal?.aborted) run.end ??= { kind: 'stopped', why: String(options.signal.reason) };
  const began = performance.now();
  if (run.end || began >= deadline) return void run.leftOut.push(task);
  Object.assign(progress, { phase: task.phase.name, subject: task.subject.title });
  stop.begin(allowance, deadline);
  const { findings: whole, problem } = await runSubject(run, task);
  const { counts, notes, failures } = run.session.takeNews();
  const findings: Findings = whole ?? { failures, notes: [] };
  if (stop.hasCut() || run.end) run.leftOut.push(task);
  if (stop.hasCut() && counts.requests === 0) return;
  const result = {
    ...task,
    ...(problem !== undefined && { problem }),
    // The notes of an interrupted subject would be incomplete.
    findings: { ...findings, notes: [...notes, ...(stop.hasCut() ? [] : findings.notes)] },
    counts: findings.received ?? counts,
    milliseconds: performance.now() - began,
  };
  run.done.push(result);
  progress.failures += failuresIn(result);
  if (options.failFast && progress.failures > 0)
    run.end ??= { kind: 'failure', why: 'stopped at the first failure' };
};

const notesOf = ({ session, done }: Run, chosen: ReturnType<typeof choosePhases>): string[] => {
  const { outOfReach, reachable, phases } = chosen;
  const failures = done.flatMap(({ findings }) => findings.failures);
  const failed = new Set(failures.map((failure) => operationOf(failure).at));
  const unchecked = phases.flatMap((phase) => phase.unchecked ?? []);
  const notes = [
    ...outOfReach.map(
      ({ id }) => `${id}: is left out, because this command cannot send the credentials that it asks for`,
    ),
    ...reachable.flatMap((operation) => (failed.has(operation.at) ? [] : session.notesOf(operation))),
    ...done.flatMap(({ findings }) => findings.notes),
    ...describeUnchecked([
      ...unchecked.filter(({ where }) => reachable.some(({ id }) => id === where)),
      ...done.flatMap(({ findings }) => findings.unchecked ?? []),
    ]),
  ];
  return [...new Set(notes)];
};

/** Runs every phase of a contract that has operations. Throws if it cannot start. */
export const examine = async (options: ExamineOptions): Promise<Results> => {
  const { signal, onProgress, timeMs = Number.POSITIVE_INFINITY } = options;
  const deadline = performance.now() + timeMs;
  const stop = createStop(signal, options.transport);
  const progress = { phase: '', subject: '', requests: 0, failures: 0 };
  const onReply = (): void => {
    progress.requests += 1;
    onProgress?.(progress);
  };
  options.contract.interrupt.check = stop.check;
  const session = createSession({ ...options, transport: stop.transport, onReply });
  const chosen = choosePhases(session, options, options.credentials);
  const state = { skipped: new Set<string>(), done: [], leftOut: [], end: undefined };
  const run: Run = { session, stop, options, progress, ...state };
  const tasks = chosen.phases.flatMap((phase) => phase.subjects.map((subject) => ({ phase, subject })));
  for (const [index, task] of tasks.entries())
    await runTask(run, task, deadline, (deadline - performance.now()) / (tasks.length - index));
  const { done, leftOut } = run;
  if (leftOut.length > 0)
    run.end ??= { kind: 'stopped', why: signal?.aborted ? String(signal.reason) : TIME_IS_UP };
  const leftOutOf = (phase: Phase): string[] =>
    leftOut.filter((task) => task.phase === phase).map(({ subject }) => subject.title);
  return {
    phases: chosen.phases.map((phase) => ({ phase, subjects: done.filter((task) => task.phase === phase) })),
    notes: notesOf(run, chosen),
    end: run.end && {
      ...run.end,
      leftOut: chosen.phases
        .map((phase) => ({ phase: phase.name, subjects: leftOutOf(phase) }))
        .filter(({ subjects }) => subjects.length > 0),
    },
  };
};

import { run } from '../run.ts';
import type { Candidate } from './candidate.ts';

/** The seeds of all trials. */
export const SEEDS = [41, 4711, 20_261_116] as const;

/** Longer than this no run may go without an answer. */
export const LONGEST_MS = 120_000;

/** The result of a trial. */
export interface Trial {
  /** Whether the run came to its end. */
  readonly isComplete: boolean;
  readonly failures: number;
  /** The expected failures; empty for any. */
  readonly text: string;
  /** In seconds. */
  readonly cpu: number;
}

/** How much of a run there is: everything, if it does not say. */
interface Extent {
  readonly include?: readonly string[] | undefined;
  readonly phases?: readonly string[];
  readonly failFast?: boolean;
}

/** Holds the contract tests against a service, with their default settings. */
export const tryOut = async (
  { contract, credentials, start: startService, timeoutMs }: Candidate,
  seed: number,
  { include = [], phases = [], failFast = false }: Extent = {},
): Promise<Trial> => {
  const service = await startService();
  const { url } = service;
  // The run ends when the service no longer answers.
  let isLate = false;
  const alarm = setTimeout(() => {
    isLate = true;
    void service.close();
  }, LONGEST_MS);
  const onProgress = () => void alarm.refresh();
  const start = process.cpuUsage();
  const extent = { include, phases, failFast };
  const sending = { timeoutMs };
  const options = { contract, credentials, requests: 100, seed, url, sending, onProgress, ...extent };
  const { text, failures, isComplete } = await run(options).then(
    (result) => ({ ...result, isComplete: !isLate }),
    (error: Error) => ({ text: error.message, failures: 0, isComplete: false }),
  );
  const { user, system } = process.cpuUsage(start);
  clearTimeout(alarm);
  if (!isLate) await service.close();
  // Other paragraphs, such as a table, name operations that are right.
  const told = text
    .split(/\n\n(?=\S)/)
    .filter((part) => failures === 0 || /curl |cannot be checked/.test(part));
  const cpu = (user + system) / 1e6;
  return { isComplete, failures, text: told.join('\n\n'), cpu };
};

/** Whether a trial found a bug, and not just something. */
const tells = ({ names, promise = /^/ }: Candidate, { isComplete, failures, text }: Trial): boolean =>
  isComplete &&
  failures > 0 &&
  (names.length === 0 || names.some((name) => text.includes(name))) &&
  promise.test(text);

/**
 * Whether the contract tests find a bug. Runs are short where they can be: they look in one phase at the
 * operations that show it, then in all phases at those and all that share their state.
 */
export const lookFor = async (bug: Candidate, phase: string, seed: number) => {
  let cpu = 0;
  let text = '';
  for (const extent of [{ include: bug.where, phases: [phase] }, { include: bug.kin }]) {
    const trial = await tryOut(bug, seed, { ...extent, failFast: bug.promise === undefined });
    cpu += trial.cpu;
    text = trial.text;
    if (tells(bug, trial)) return { isFound: true, text, cpu };
  }
  return { isFound: false, text, cpu };
};

/** Whether the contract tests find a bug in a run of everything. */
export const lookEverywhereFor = async (bug: Candidate, seed: number) => {
  const trial = await tryOut(bug, seed);
  return { isFound: tells(bug, trial), text: trial.text, cpu: trial.cpu };
};

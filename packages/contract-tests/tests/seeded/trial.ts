import { run } from '../run.ts';
import type { Candidate } from './candidate.ts';

/** The seeds of all trials. */
export const SEEDS = [41, 4711, 20_261_116] as const;

/** Longer than this no run may take. */
export const LONGEST_MS = 240_000;

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
  { spec, credentials, start: startService, timeoutMs = 10_000 }: Candidate,
  seed: number,
  { include = [], phases = [], failFast = false }: Extent = {},
): Promise<Trial> => {
  const service = await startService();
  const { url } = service;
  const start = process.cpuUsage();
  const limits = [`--time=${LONGEST_MS}ms`, `--timeout=${timeoutMs}`];
  const flags = [...limits, ...(failFast ? ['--fail-fast'] : [])];
  const { text, failures } = await run({ spec, credentials, seed, url, include, phases, flags }).catch(
    (error: Error) => ({ text: error.message, failures: undefined }),
  );
  const isComplete = failures !== undefined && !text.includes('because the time is up');
  const { user, system } = process.cpuUsage(start);
  await service.close();
  // Other paragraphs, such as a table, name operations that are right.
  const told = text.split(/\n\n(?=\S)/).filter((part) => !failures || /curl |cannot be checked/.test(part));
  const cpu = (user + system) / 1e6;
  return { isComplete, failures: failures ?? 0, text: told.join('\n\n'), cpu };
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

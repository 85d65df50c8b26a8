import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { usageOf } from '../support/usage.ts';
import type { Plan } from './plan.ts';
import { runProgram } from './run.ts';

/** The result of a load. Times are in milliseconds unless the name says seconds. */
export interface LoadResult {
  readonly answers: number;
  /** Answers whose status is not 200, or whose body is not the expected one. */
  readonly wrong: number;
  /** Failed connections and requests that were not answered in time. */
  readonly errors: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** The share of one core that the generator used, if known. */
  readonly generatorShare?: number | undefined;
}

/** Runs a plan against a running server. */
export type Load = (plan: Plan) => Promise<LoadResult>;

const isLoadResult = (value: unknown): value is LoadResult =>
  typeof value === 'object' &&
  value !== null &&
  ['answers', 'wrong', 'errors', 'seconds', 'p50', 'p99'].every(
    (name) => typeof Reflect.get(value, name) === 'number',
  );

/** Whether wrk is installed. (`wrk --version` prints its version and fails.) */
export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined;

const LUA = fileURLToPath(new URL('wrk.lua', import.meta.url));

/**
 * Load by wrk. It takes some 30 µs of a core for a create, which the servers beside it do not miss; generators that run in
 * Node take six times as much, and would measure themselves.
 */
export const loadByWrk: Load = async (plan) => {
  const { url, connections, seconds, before, after, expected, from, headers } = plan;
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', LUA, url, '--'];
  let used: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  // Again and again, because it cannot be read once the process has ended.
  const onStart = (pid: number): void => {
    timer = setInterval(() => {
      used = usageOf(pid)?.cpuSeconds ?? used;
    }, 100);
  };
  const output = await runProgram(
    'wrk',
    [...args, before, after, expected, `${from}`, ...Object.entries(headers).flat()],
    { within: seconds + 30, onStart },
  ).finally(() => clearInterval(timer));
  const result: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  if (!isLoadResult(result)) throw new Error(`wrk printed no result: ${output}`);
  return { ...result, generatorShare: used === undefined ? undefined : used / result.seconds };
};

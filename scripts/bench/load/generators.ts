import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { usageOf } from '../../support/usage.ts';
import { builtFile } from '../subjects/build.ts';
import { runProgram } from '../subjects/run.ts';
import type { Plan } from './plan.ts';

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

const parseResult = (output: string): LoadResult => {
  const result: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  if (isLoadResult(result)) return result;
  throw new Error(`the load generator printed no result: ${output}`);
};

/** Reads the generator's CPU time again and again meanwhile, since it cannot be read once the process has ended. */
const runGenerator = async (command: string, args: readonly string[], plan: Plan): Promise<LoadResult> => {
  let used: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const onStart = (pid: number): void => {
    timer = setInterval(() => {
      used = usageOf(pid)?.cpuSeconds ?? used;
    }, 100);
  };
  try {
    const result = parseResult(await runProgram(command, args, { within: plan.seconds + 30, onStart }));
    return { ...result, generatorShare: used === undefined ? undefined : used / result.seconds };
  } finally {
    clearInterval(timer);
  }
};

const LUA = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** Load by wrk. One thread can send several times what one Node process can answer. */
export const loadByWrk: Load = (plan) => {
  const { url, connections, seconds, before, after, expected, from, headers } = plan;
  const threads = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', LUA, url, '--'];
  return runGenerator(
    'wrk',
    [...threads, before, after, expected, `${from}`, ...Object.entries(headers).flat()],
    plan,
  );
};

const loadByAutocannon: Load = (plan) =>
  runGenerator(process.execPath, [builtFile('peers/autocannon.ts'), JSON.stringify(plan)], plan);

/** Whether wrk is installed. (`wrk --version` prints its version and fails.) */
export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined;

/** wrk if it is installed, because it takes the least CPU from the server; otherwise autocannon. */
export const chooseLoad = (): { name: string; load: Load } =>
  hasWrk() ? { name: 'wrk', load: loadByWrk } : { name: 'autocannon', load: loadByAutocannon };

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { usageOf } from '../rounds/measure.ts';
import { builtFile } from '../subjects/build.ts';
import { runChild } from '../subjects/children.ts';
import type { Plan } from './plan.ts';

/** What came of a load. Times in milliseconds, except where the name says seconds. */
export interface LoadResult {
  readonly answers: number;
  /** Answers with another status than 200, or another body than the right one. */
  readonly wrong: number;
  /** Connections that failed, and requests that were not answered in time. */
  readonly errors: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** What share of one core the generator itself used, where that can be told. */
  readonly generatorShare?: number | undefined;
}

/** Carries out a plan against a server that runs. */
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
  throw new Error(`the load generator told no figures: ${output}`);
};

/** A process is gone before it can be asked what it used, so it is asked all along. */
const watchCpu = () => {
  let seconds: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    onStart(pid: number): void {
      timer = setInterval(() => {
        seconds = usageOf(pid)?.cpuSeconds ?? seconds;
      }, 100);
    },
    stop(): number | undefined {
      clearInterval(timer);
      return seconds;
    },
  };
};

const runGenerator = async (command: string, args: readonly string[], plan: Plan): Promise<LoadResult> => {
  const cpu = watchCpu();
  try {
    const output = await runChild(command, args, { within: plan.seconds + 30, onStart: cpu.onStart });
    const result = parseResult(output);
    const used = cpu.stop();
    return { ...result, generatorShare: used === undefined ? undefined : used / result.seconds };
  } finally {
    cpu.stop();
  }
};

const LUA = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** One thread is enough: it sends several times what one Node process can answer. */
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

/** Whether wrk is installed here. It says its version and fails. */
export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined;

/** wrk where it is installed, because it takes the least from the server beside it; else autocannon. */
export const chooseLoad = (): { name: string; load: Load } =>
  hasWrk() ? { name: 'wrk', load: loadByWrk } : { name: 'autocannon', load: loadByAutocannon };

import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { usageOf } from '../support/usage.ts';
import { IDS, type Plan } from './plan.ts';

/** The result of a load. Times are in milliseconds unless the name says seconds. */
export interface LoadResult {
  readonly answers: number;
  /** Answers whose status or body is not the expected one. */
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

/** Whether wrk is installed. (`wrk --version` prints its version and fails.) */
export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined;

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** The text of a request. The script fills in its placeholders. */
const writeRequest = ({ url, method, path, headers, body }: Plan): string => {
  const length = body.replace('{n}', `${IDS.least}`).length;
  const fields = { Host: new URL(url).host, ...headers, ...(body && { 'Content-Length': length }) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
};

/**
 * Sends requests by wrk. It takes some 30 µs of a core for each, which the servers beside it do not miss; generators that
 * run in Node take six times as much, and would measure themselves.
 */
export const loadByWrk: Load = async (plan) => {
  const { url, connections, seconds, status, expected, from, fromPair, items, tokens } = plan;
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', SCRIPT];
  const args = [writeRequest(plan), status, expected, from, fromPair, items, ...tokens].map(String);
  const running = promisify(execFile)('wrk', [...options, url, '--', ...args], {
    timeout: (seconds + 30) * 1000,
    killSignal: 'SIGKILL',
  });
  let used: number | undefined;
  // Again and again, because it cannot be read once the process has ended.
  const timer = setInterval(() => {
    used = usageOf(running.child.pid ?? 0)?.cpuSeconds ?? used;
  }, 100);
  const { stdout } = await running.finally(() => clearInterval(timer));
  const result: LoadResult = JSON.parse(stdout.trim().split('\n').at(-1) ?? ''); // as the script writes it
  return { ...result, generatorShare: used === undefined ? undefined : used / result.seconds };
};

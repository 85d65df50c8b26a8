import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ServiceProcess } from '../../../scripts/support/service.ts';

/** The memory of a service, in MiB. */
interface Level {
  /** Objects in use. */
  readonly heap: number;
  /** The resident set of the process. */
  readonly rss: number;
}

const MEBIBYTE = 2 ** 20;

const COLLECTED = 'collected';

/**
 * Garbage that is not collected yet looks like a leak. So this code is loaded into the service: on a signal it collects the
 * garbage and logs how much memory is left in use.
 */
const COLLECTOR = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    console.log(JSON.stringify({ msg: '${COLLECTED}', ...process.memoryUsage() }));
  });`;

/** The environment variable with which a service must start for its memory to be read. */
export const WITH_COLLECTOR = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECTOR)}`,
};

const GONE: Level = { heap: Number.NaN, rss: Number.NaN };

const collect = async ({ pid, log }: Pick<ServiceProcess, 'pid' | 'log'>): Promise<Level> => {
  const seen = log.length;
  try {
    process.kill(pid, 'SIGUSR2');
  } catch {
    return GONE;
  }
  for (const deadline = Date.now() + 5000; Date.now() < deadline; await sleep(5)) {
    const left = log.slice(seen).find(({ msg }) => msg === COLLECTED);
    if (left) return { heap: Number(left.heapUsed) / MEBIBYTE, rss: Number(left.rss) / MEBIBYTE };
  }
  return GONE;
};

/** Reads the memory that a service keeps: the lowest of a few readings, so that garbage is not counted. */
export const readLevel = async (service: Pick<ServiceProcess, 'pid' | 'log'>): Promise<Level> => {
  let lowest = await collect(service);
  for (let reading = 1; reading < 5; reading += 1) {
    await sleep(100);
    const { heap, rss } = await collect(service);
    lowest = { heap: Math.min(lowest.heap, heap), rss: Math.min(lowest.rss, rss) };
  }
  return lowest;
};

/** The resident set of a process in MiB, including garbage; NaN if the process has ended. */
export const readRss = async (pid: number): Promise<number> => {
  const look = promisify(execFile)('ps', ['-o', 'rss=', '-p', `${pid}`]);
  const { stdout } = await look.catch(() => ({ stdout: 'gone' }));
  return Number.parseInt(stdout, 10) / 1024;
};

import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ServiceProcess } from './service.ts';

/** What a service has in memory, in MiB. */
export interface Level {
  /** Objects that are in use. */
  readonly heap: number;
  /** All that the system has given to the process. */
  readonly rss: number;
}

/** How memory went. */
export interface Memory {
  readonly warm: Level;
  readonly end: Level;
  /** The most that the process was seen to have. */
  readonly highestRss: number;
}

const MEBIBYTE = 2 ** 20;
/** In a drill of 200,000 requests some 20 bytes a request. */
const MOST_HEAP_GROWTH = 4;
/** Room for V8 to make up its mind about the size of its young generation, once. */
const MOST_RSS_GROWTH = 32;

const COLLECTED = 'collected';

/**
 * When garbage is collected is a matter of luck, and what waits for it looks like a leak. So the service is started
 * with this beside it: told to by a signal, it collects, and says in the log what is left.
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

/** The setting that starts a service so that its memory can be read. */
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

/** Finds what a service keeps: the lowest of a few looks, so that nothing on its way out is counted. */
export const readLevel = async (service: Pick<ServiceProcess, 'pid' | 'log'>): Promise<Level> => {
  let { heap, rss } = await collect(service);
  for (let look = 1; look < 5; look += 1) {
    await sleep(100);
    const next = await collect(service);
    heap = Math.min(heap, next.heap);
    rss = Math.min(rss, next.rss);
  }
  return { heap, rss };
};

/** What the system has given to a process by now, garbage and all, in MiB; not a number if it is gone. */
export const readRss = async (pid: number): Promise<number> => {
  const look = promisify(execFile)('ps', ['-o', 'rss=', '-p', `${pid}`]);
  const { stdout } = await look.catch(() => ({ stdout: 'gone' }));
  return Number.parseInt(stdout, 10) / 1024;
};

/** Says what is wrong with how memory went; nothing if it stayed flat. */
export const findGrowth = ({ warm, end }: Pick<Memory, 'warm' | 'end'>): string[] => {
  const grew = (what: string, from: number, to: number, most: number): string[] =>
    to - from < most ? [] : [`${what} grew from ${from.toFixed(0)} to ${to.toFixed(0)} MiB`];
  return [
    ...grew('the heap', warm.heap, end.heap, MOST_HEAP_GROWTH),
    ...grew('memory', warm.rss, end.rss, MOST_RSS_GROWTH),
  ];
};

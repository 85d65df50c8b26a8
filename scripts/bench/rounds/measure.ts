import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What all threads of a process have used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

let ticksASecond: number | undefined;

/** Reads /proc (proc_pid_stat(5), proc_pid_status(5)); `undefined` without /proc or without such a process. */
export const usageOf = (pid: number): Usage | undefined => {
  try {
    ticksASecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    // Fields are counted after the name, which is in brackets and may hold anything: state is field 3, utime 14, stime 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mebibytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksASecond,
      residentMiB: mebibytes('VmRSS'),
      peakMiB: mebibytes('VmHWM'),
    };
  } catch {
    return undefined;
  }
};

/** The median and range of some values. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median and range of the values of several rounds; `undefined` if there are none. */
export const spreadOf = (values: readonly number[]): Spread | undefined => {
  const sorted = values.toSorted((one, other) => one - other);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return undefined;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? most;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? least;
  return { median: (lower + upper) / 2, least, most };
};

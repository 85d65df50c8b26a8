import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

/**
 * The processes that a process has started and that run, such as the workers of a service; none without /proc
 * (proc_pid_task(5)).
 */
export const childrenOf = (pid: number): number[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
};

/** The resource usage of a process and its descendants so far. */
export const groupUsageOf = (pid: number): Usage | undefined =>
  [pid, ...childrenOf(pid)].map(usageOf).reduce((sum, each) =>
    sum && each
      ? {
          cpuSeconds: sum.cpuSeconds + each.cpuSeconds,
          residentMiB: sum.residentMiB + each.residentMiB,
          peakMiB: sum.peakMiB + each.peakMiB,
        }
      : undefined,
  );

/** Whether a process runs. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The files and sockets that a process has open; none without /proc (proc_pid_fd(5)). */
export const filesOf = (pid: number): string[] => {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`);
      } catch {
        return []; // it was closed
      }
    });
  } catch {
    return [];
  }
};

/** The processes that run in a folder or below it, whatever their parent. */
export const processesIn = (folder: string): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) && `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
        ? [Number(pid)]
        : [];
    } catch {
      return []; // it has ended
    }
  });

/** Sends a signal if the process still exists. Never to 0, which means all processes of the group. */
export const signal = (pid: number | undefined, name: NodeJS.Signals): void => {
  try {
    if (pid) process.kill(pid, name);
  } catch {
    // it has ended
  }
};

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What all threads of a process have used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** Does something with a process that may have ended, or on a system without /proc; `undefined` then. */
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

let ticksASecond: number | undefined;

/** Reads /proc (proc_pid_stat(5), proc_pid_status(5)); `undefined` without /proc or without such a process. */
export const usageOf = (pid: number): Usage | undefined =>
  attempt(() => {
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
  });

/**
 * The processes that a process has started and that run, such as the workers of a service; none without /proc
 * (proc_pid_task(5)).
 */
export const childrenOf = (pid: number): number[] => {
  const children = attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? '';
  return children.split(' ').filter(Boolean).map(Number);
};

/** The resource usage of a process and its descendants so far. */
export const groupUsageOf = (pid: number): Usage | undefined =>
  [pid, ...childrenOf(pid)].map(usageOf).reduce(
    (sum, each) =>
      sum &&
      each && {
        cpuSeconds: sum.cpuSeconds + each.cpuSeconds,
        residentMiB: sum.residentMiB + each.residentMiB,
        peakMiB: sum.peakMiB + each.peakMiB,
      },
  );

/** Whether a process runs. */
export const isAlive = (pid: number): boolean => attempt(() => process.kill(pid, 0)) ?? false;

/** The files and sockets that a process has open; none without /proc (proc_pid_fd(5)). */
export const filesOf = (pid: number): string[] => {
  const folder = `/proc/${pid}/fd`;
  const descriptors = attempt(() => readdirSync(folder)) ?? [];
  return descriptors.flatMap((each) => attempt(() => readlinkSync(`${folder}/${each}`)) ?? []);
};

/** The processes that run in a folder or below it, whatever their parent. */
export const processesIn = (folder: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => attempt(() => `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)))
    .map(Number);

/** Sends a signal if the process still exists. Never to 0, which means all processes of the group. */
export const signal = (pid: number | undefined, name: NodeJS.Signals): void => {
  if (pid) attempt(() => process.kill(pid, name));
};

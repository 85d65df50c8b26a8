import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

/** The period of a quota, in microseconds: the default of Kubernetes. */
const PERIOD = 100_000;

/** Where Linux mounts the group that all processes are in, the file of a quota, and its text: versions 1 and 2. */
const VERSIONS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', write: (quota: number) => `${quota}` },
  { root: '/sys/fs/cgroup', file: 'cpu.max', write: (quota: number) => `${quota} ${PERIOD}` },
];

const NEEDS = 'needs Linux with control groups (/sys/fs/cgroup) that this user may write to';

/** Makes a group; `undefined` where this process may not, or where groups have no quota. */
const makeGroup = () => {
  for (const { root, file, write } of VERSIONS) {
    const group = join(root, `trellis-${process.pid}-${Math.round(performance.now())}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    const quota = join(group, file);
    if (existsSync(quota)) return { group, setQuota: (of: number) => writeFileSync(quota, write(of)) };
    rmdirSync(group);
  }
  return undefined;
};

/** A group of processes that share a CPU quota, as the containers of a pod with a limit do. */
export interface CpuGroup {
  /** Sets the quota, as a share of one core. */
  limit(share: number): void;
  /** Makes a running process a member. */
  join(pid: number): void;
  /** A command line that joins the group and then runs a program. */
  readonly launch: readonly [shell: string, ...flags: string[]];
  /** Removes the group, once its processes have ended. */
  end(): Promise<void>;
}

/** Makes a group of processes that share a CPU quota. Throws where there can be none. */
export const openCpuGroup = (): CpuGroup => {
  const made = makeGroup();
  if (!made) throw new Error(`a CPU quota ${NEEDS}`);
  const { group, setQuota } = made;
  const isRemoved = (): boolean => {
    try {
      rmdirSync(group);
      return true;
    } catch {
      return !existsSync(group);
    }
  };
  return {
    limit: (share) => setQuota(Math.round(share * PERIOD)),
    join: (pid) => writeFileSync(join(group, 'cgroup.procs'), `${pid}`),
    launch: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')],
    end: () => until('the group of processes is empty', isRemoved),
  };
};

/** Why this machine cannot limit the CPU of a process; `undefined` if it can. */
export const whyNoQuota = (): string | undefined => {
  const made = makeGroup();
  if (made) rmdirSync(made.group);
  return made ? undefined : NEEDS;
};

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

/** Where Linux mounts the group that all processes are in: version 1, or version 2. */
const ROOTS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** The period of a quota, in microseconds: the default of Kubernetes. */
const PERIOD = 100_000;

/** For each cgroup version, the file that sets the quota and the format of its text. */
const QUOTAS: Readonly<Record<string, (quota: number) => string>> = {
  'cpu.cfs_quota_us': (quota) => `${quota}`, // the default period is the same as in Kubernetes
  'cpu.max': (quota) => `${quota} ${PERIOD}`,
};

const tryToMake = (folder: string): boolean => {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
};

const hasQuota = (folder: string): boolean =>
  Object.keys(QUOTAS).some((file) => existsSync(join(folder, file)));

/** Makes a group; `undefined` where this process may not, or where groups have no quota. */
const makeGroup = (name: string): string | undefined => {
  const made = ROOTS.map((root) => join(root, name)).filter(tryToMake);
  const group = made.find(hasQuota);
  for (const folder of made) if (folder !== group) rmdirSync(folder);
  return group;
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
  const group = makeGroup(`trellis-${process.pid}-${Math.round(performance.now())}`);
  if (group === undefined)
    throw new Error(
      'a CPU quota needs Linux with control groups (/sys/fs/cgroup) that this user may write to',
    );
  return {
    limit(share) {
      for (const [file, write] of Object.entries(QUOTAS))
        if (existsSync(join(group, file)))
          writeFileSync(join(group, file), write(Math.round(share * PERIOD)));
    },
    join: (pid) => writeFileSync(join(group, 'cgroup.procs'), `${pid}`),
    launch: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')],
    async end() {
      const isRemoved = (): boolean => {
        try {
          rmdirSync(group);
          return true;
        } catch {
          return !existsSync(group);
        }
      };
      await until('the group of processes is empty', isRemoved);
    },
  };
};

/** Why this machine cannot limit the CPU of a process; `undefined` if it can. */
export const whyNoQuota = (): string | undefined => {
  const group = makeGroup(`trellis-${process.pid}-try`);
  if (group !== undefined) rmdirSync(group);
  return group === undefined ? 'needs control groups (/sys/fs/cgroup) that it may write to' : undefined;
};

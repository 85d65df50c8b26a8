import { statfsSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';

/** TMPFS_MAGIC of statfs(2). */
const TMPFS = 0x01021994;

/** Throws if temporary files are in memory: nothing would be durable, and every store would look fast. */
export const refuseMemoryFolder = (): void => {
  if (statfsSync(tmpdir()).type === TMPFS)
    throw new Error(`${tmpdir()} is in memory, not on a disk; set TMPDIR to a folder on one`);
};

/** One line about the machine and the load generator, which run together. */
export const describeMachine = (node: string, generator: string): string => {
  const cores = cpus();
  const [load = 0] = loadavg();
  return [
    new Date().toISOString().slice(0, 10),
    `${cores.length} cores (${cores[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`,
    `Node ${node}, load by ${generator} on the same machine`,
    `load average ${load.toFixed(1)} before${load > cores.length / 4 ? ': NOT A QUIET MACHINE' : ''}`,
  ].join('; ');
};

import { readFile, writeFile } from 'node:fs/promises';
import { readRss } from '../../support/memory.ts';

/** Resets the peak of a process to what it uses now. Does nothing without /proc. */
export const resetPeak = (pid: number): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});

/** Reads the peak since the last reset in MiB, or NaN if the process is gone. Without /proc, reads what it uses now. */
export const readPeak = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(status) ?? [];
  return kibibytes === undefined ? readRss(pid) : Number(kibibytes) / 1024;
};

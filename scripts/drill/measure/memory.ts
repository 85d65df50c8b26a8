import { readFile, writeFile } from 'node:fs/promises';
import { readRss } from '../../support/memory.ts';

/** Makes the peak of a process what it has now. Where there is no /proc, peaks are not known. */
export const forgetPeak = (pid: number): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});

/** The most memory that a process has had since its peak was forgotten, in MiB; not a number if it is gone. */
export const readPeak = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(status) ?? [];
  return kibibytes === undefined ? readRss(pid) : Number(kibibytes) / 1024;
};

import { readFile } from 'node:fs/promises';

/** The length of a clock tick of Linux in milliseconds. */
const TICK = 10;

/** Reads the CPU time of a process, all threads together, in milliseconds. Infinite without /proc. */
export const readCpuTime = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (stat === undefined) return Number.POSITIVE_INFINITY;
  // The program name may contain anything. The 12th and 13th field after it are the ticks in user and kernel mode.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
};

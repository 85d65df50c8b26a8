import { readFile } from 'node:fs/promises';

/** How long a tick is, in milliseconds: Linux tells the time of processes in hundredths of a second. */
const TICK = 10;

/** For how long a process has used the processor, all its threads together, in milliseconds; without /proc, for ever. */
export const readBusy = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (stat === undefined) return Number.POSITIVE_INFINITY;
  // The name of the program may hold anything; what follows it are numbers, the 12th and 13th of them ticks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
};

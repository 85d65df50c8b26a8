import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../support/service.ts';

/** How long the process does nothing before it is told to end, and after that, in milliseconds. */
const BEFORE = 150;
const AFTER = 150;

/**
 * Ends a service that gets no processor around the signal, as on a machine with too much to do: what the system takes
 * in for it meanwhile, requests on kept connections and new connections alike, has arrived and is owed an answer.
 */
export const endHeldUp = async ({
  pid,
  end,
}: Pick<ServiceProcess, 'pid' | 'end'>): Promise<number | null> => {
  process.kill(pid, 'SIGSTOP');
  await sleep(BEFORE);
  const ended = end('SIGTERM');
  await sleep(AFTER);
  process.kill(pid, 'SIGCONT');
  return ended;
};

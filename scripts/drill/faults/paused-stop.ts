import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../support/service.ts';

/** How long the process is paused before and after SIGTERM, in milliseconds. */
const PAUSE = 150;

/**
 * Stops a service that is paused around the signal, as on a machine with too much to do. Meanwhile the system accepts
 * requests and connections for it, and the service has to answer all of them before it exits.
 */
export const stopWhilePaused = async ({
  pid,
  end,
}: Pick<ServiceProcess, 'pid' | 'end'>): Promise<number | null> => {
  process.kill(pid, 'SIGSTOP');
  await sleep(PAUSE);
  const ended = end('SIGTERM');
  await sleep(PAUSE);
  process.kill(pid, 'SIGCONT');
  return ended;
};

import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, type Settings, startProcess } from '../../support/service.ts';

/** Starts so many services in one folder, on one store. */
export const startFleet = async (folder: string, settings: Settings, size: number) => {
  const start = () => startProcess(folder, settings);
  const fleet: ServiceProcess[] = await Promise.all(Array.from({ length: size }, start));
  return {
    /** The URLs of the services that run now. */
    targets: (): readonly string[] => fleet.map(({ url }) => url),
    /** The service that has run longest. */
    oldest: (): ServiceProcess => {
      const [oldest] = fleet;
      if (!oldest) throw new Error('no service runs');
      return oldest;
    },
    /** Ends the process that has run longest, and returns its exit code. Clients are not warned. */
    async endOldest(end: (service: ServiceProcess) => Promise<number | null>): Promise<number | null> {
      const [oldest] = fleet;
      const code = oldest ? await end(oldest) : null;
      fleet.shift();
      return code;
    },
    async add(): Promise<void> {
      fleet.push(await start());
    },
    async endAll(): Promise<void> {
      await Promise.all(fleet.splice(0).map((service) => service.end('SIGKILL')));
    },
  };
};

/** How long the process is paused before and after SIGTERM, in milliseconds. */
const PAUSE = 150;

/**
 * Stops a service that is paused around the signal, as on a machine with too much to do. Meanwhile the system accepts
 * requests and connections for it, and the service has to answer all of them before it exits.
 */
export const stopWhilePaused = async ({ pid, end }: ServiceProcess): Promise<number | null> => {
  process.kill(pid, 'SIGSTOP');
  await sleep(PAUSE);
  const ended = end('SIGTERM');
  await sleep(PAUSE);
  process.kill(pid, 'SIGCONT');
  return ended;
};

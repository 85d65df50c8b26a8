import { setTimeout as sleep } from 'node:timers/promises';
import { workersOf } from '../../support/usage.ts';
import { type Fault, setOnSqlite } from './scene.ts';

/** At least two, however many the caller asks for. */
const WORKERS = `${Math.max(2, Number(process.env.WORKERS) || 0)}`;

/** How often the processes are looked at, in milliseconds. */
const LOOK_EVERY = 20;
/** How long workers may take to be replaced, in milliseconds. */
const REPLACED_WITHIN = 60_000;

const untilTrue = async (isTrue: () => boolean): Promise<void> => {
  const deadline = performance.now() + REPLACED_WITHIN;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error('the workers were not replaced in time');
    await sleep(LOOK_EVERY);
  }
};

/** Starts a service of several workers on a SQLite file, and gives ways to look at its processes. */
const setWithWorkers = async (folder: string) => {
  const { fleet, ...scene } = await setOnSqlite(folder, 1, { WORKERS });
  const workers = (): number[] => workersOf(fleet.oldest().pid);
  return { fleet, scene, workers };
};

/** Faults of a service that has several worker processes. */
export const WORKER_FAULTS: readonly Fault[] = [
  {
    name: 'kill-worker',
    title: `kill -9 of one of ${WORKERS} workers, SQLite`,
    mayDrop: true,
    async set(folder) {
      const { scene, workers } = await setWithWorkers(folder);
      let killed = 0;
      return {
        ...scene,
        async strike() {
          killed = workers()[0] ?? 0;
          process.kill(killed, 'SIGKILL');
          await untilTrue(() => !workers().includes(killed));
        },
        mend: () => untilTrue(() => workers().length === Number(WORKERS)),
      };
    },
  },
  {
    name: 'kill-writer',
    title: `kill -9 of the process that writes for ${WORKERS} workers, SQLite`,
    mayDrop: true,
    async set(folder) {
      const { fleet, scene } = await setWithWorkers(folder);
      return {
        ...scene,
        strike: async () => void (await fleet.endOldest((service) => service.end('SIGKILL'))),
        mend: fleet.add,
      };
    },
  },
  {
    name: 'restart-workers',
    title: `SIGUSR2, rolling restart of ${WORKERS} workers, SQLite`,
    mayDrop: false,
    clients: 48,
    async set(folder) {
      const { fleet, scene, workers } = await setWithWorkers(folder);
      return {
        ...scene,
        async strike() {
          const before = workers();
          process.kill(fleet.oldest().pid, 'SIGUSR2');
          await untilTrue(
            () => workers().length === Number(WORKERS) && !workers().some((pid) => before.includes(pid)),
          );
        },
        async mend() {},
      };
    },
  },
];

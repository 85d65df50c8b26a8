import { type ServiceProcess, type Settings, startProcess } from '../../support/service.ts';

/** Service processes on one store. */
export interface Fleet {
  readonly targets: () => readonly string[];
  /** Ends the process that has run longest. Clients are not warned. */
  endOldest(end: (service: ServiceProcess) => Promise<number | null>): Promise<number | null>;
  add(): Promise<void>;
  endAll(): Promise<void>;
}

/** Starts so many services in one folder. */
export const startFleet = async (folder: string, settings: Settings, size: number): Promise<Fleet> => {
  const start = () => startProcess(folder, settings);
  const fleet: ServiceProcess[] = await Promise.all(Array.from({ length: size }, start));
  return {
    targets: () => fleet.map(({ url }) => url),
    async endOldest(end) {
      const [oldest] = fleet;
      const code = oldest ? await end(oldest) : null;
      fleet.shift();
      return code;
    },
    async add() {
      fleet.push(await start());
    },
    async endAll() {
      await Promise.all(fleet.splice(0).map((service) => service.end('SIGKILL')));
    },
  };
};

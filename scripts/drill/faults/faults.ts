import { join } from 'node:path';
import { readPostgres, readSqlite, type StoredPlant } from '../../plants/stored-plants.ts';
import { startPostgres } from '../../support/postgres.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { protect, unprotect, whyNoWriteProtection } from '../../support/write-protection.ts';
import { settingsFor } from '../plant-store.ts';
import { FAILOVER } from './failover.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { stopWhilePaused } from './paused-stop.ts';

/** Running services, a way to break them or their store, and a way to repair that. */
export interface Scene {
  /** The URLs of the services that run now. */
  readonly targets: () => readonly string[];
  /** Causes the fault. If clients see it as 503, awaits the first of those with `refused`. */
  strike(refused: () => Promise<void>): Promise<void>;
  /** Repairs the fault. */
  mend(): Promise<void>;
  /** Reads every plant from the store. */
  read(): Promise<StoredPlant[]>;
  end(): Promise<void>;
}

/** A fault that can be drilled. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Whether a request may go unanswered: after kill -9 it may, in a rolling restart it must not. */
  readonly mayDrop: boolean;
  /** The number of clients, if the default is too small. */
  readonly clients?: number;
  /** Why this machine cannot run the drill; `undefined` if it can. */
  whyNot(): string | undefined;
  set(folder: string): Promise<Scene>;
}

/** Starts services on one SQLite file. */
const setOnSqlite = async (folder: string, size: number) => {
  const path = join(folder, 'plants.db');
  const fleet = await startFleet(folder, settingsFor(`sqlite:${path}`), size);
  return { fleet, path, targets: fleet.targets, read: () => readSqlite(path), end: fleet.endAll };
};

/** Starts services on one PostgreSQL. */
const setOnPostgres = async (folder: string, size: number) => {
  const postgres = await startPostgres(folder);
  const url = await postgres.createDatabase();
  const fleet = await startFleet(folder, settingsFor(url), size);
  const end = async () => {
    await fleet.endAll();
    await postgres.stop();
  };
  return { postgres, fleet, targets: fleet.targets, read: () => readPostgres(url), end };
};

const always = () => undefined;

/** Kills the service that has run longest, and starts another. */
const killIn = (
  name: string,
  title: string,
  setScene: (folder: string) => Promise<Omit<Scene, 'strike' | 'mend'> & { readonly fleet: Fleet }>,
): Fault => ({
  name,
  title,
  mayDrop: true,
  whyNot: always,
  async set(folder) {
    const scene = await setScene(folder);
    return {
      ...scene,
      strike: async () => void (await scene.fleet.endOldest((service) => service.end('SIGKILL'))),
      mend: scene.fleet.add,
    };
  },
});

const KILL_SQLITE = killIn('kill-sqlite', 'kill -9, SQLite', (folder) => setOnSqlite(folder, 1));

const KILL_POSTGRES = killIn('kill-postgres', 'kill -9 of one of three services, PostgreSQL', (folder) =>
  setOnPostgres(folder, 3),
);

const STOP_POSTGRES: Fault = {
  name: 'stop-postgres',
  title: 'immediate stop of PostgreSQL, two services',
  mayDrop: false,
  whyNot: always,
  async set(folder) {
    const scene = await setOnPostgres(folder, 2);
    const strike: Scene['strike'] = async (refused) => {
      await scene.postgres.stopAtOnce();
      await refused();
    };
    return { ...scene, strike, mend: scene.postgres.startAgain };
  },
};

const FULL_DISK: Fault = {
  name: 'full-disk',
  title: 'disk full, SQLite',
  mayDrop: false,
  whyNot: whyNoSmallDisk,
  async set(folder) {
    const disk = await mountSmallDisk(folder, 256);
    const scene = await setOnSqlite(disk.path, 1);
    const strike: Scene['strike'] = async (refused) => {
      await disk.fill();
      await refused();
    };
    const end = async () => {
      await scene.end();
      disk.unmount();
    };
    return { ...scene, strike, mend: disk.clear, end };
  },
};

const READ_ONLY_DISK: Fault = {
  name: 'read-only-disk',
  title: 'disk read-only, SQLite',
  mayDrop: false,
  whyNot: whyNoWriteProtection,
  async set(folder) {
    const scene = await setOnSqlite(folder, 1);
    const files = [scene.path, `${scene.path}-wal`];
    const strike: Scene['strike'] = async (refused) => {
      protect(files);
      await refused();
    };
    return { ...scene, strike, mend: async () => unprotect(files) };
  },
};

/** Every other round pauses the process around the signal, with more clients than it can answer meanwhile. */
const TERM: Fault = {
  name: 'sigterm',
  title: 'SIGTERM, rolling restart of two services, paused in half of the rounds',
  mayDrop: false,
  clients: 48,
  whyNot: always,
  async set(folder) {
    const scene = await setOnPostgres(folder, 2);
    let rounds = 0;
    const strike = async () => {
      rounds += 1;
      const end = rounds % 2 === 0 ? stopWhilePaused : (service: ServiceProcess) => service.end('SIGTERM');
      const code = await scene.fleet.endOldest(end);
      if (code !== 0) throw new Error(`SIGTERM ended a service with exit code ${code}, not 0`);
    };
    return { ...scene, strike, mend: scene.fleet.add };
  },
};

/** Every fault, in the order of the drill. */
export const FAULTS: readonly Fault[] = [
  KILL_SQLITE,
  KILL_POSTGRES,
  STOP_POSTGRES,
  FULL_DISK,
  READ_ONLY_DISK,
  TERM,
  FAILOVER,
];

import { join } from 'node:path';
import { startPostgres } from '../../support/postgres.ts';
import type { ServiceProcess, Settings } from '../../support/service.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { protect, unprotect, whyNoWriteProtection } from '../../support/write-protection.ts';
import { TOKEN } from './clients.ts';
import { FAILOVER } from './failover.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { endHeldUp } from './held-up.ts';
import { readPostgres, readSqlite, type StoredPlant } from './stores.ts';

/** Services under load, with something that goes wrong and is put right again. */
export interface Scene {
  /** Where the services are now. */
  readonly targets: () => readonly string[];
  /** Makes it go wrong. A fault that shows as 503 awaits the first, by `refused`. */
  strike(refused: () => Promise<void>): Promise<void>;
  /** Puts it right. */
  mend(): Promise<void>;
  /** Every plant that is in the store. */
  read(): Promise<StoredPlant[]>;
  end(): Promise<void>;
}

/** A fault that can be drilled. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Whether a request may be left without its answer: by kill -9 it may, by a rolling restart never. */
  readonly mayDrop: boolean;
  /** How many clients it takes, where the usual number is too small. */
  readonly clients?: number;
  /** Why it cannot be drilled on this machine; `undefined` if it can. */
  whyNot(): string | undefined;
  set(folder: string): Promise<Scene>;
}

const settingsFor = (databaseUrl: string): Settings => ({
  ACCESS_TOKENS: TOKEN,
  DATABASE_URL: databaseUrl,
  NODE_ENV: 'production',
});

/** A fleet on one SQLite file. */
const setOnSqlite = async (folder: string, size: number) => {
  const path = join(folder, 'plants.db');
  const fleet = await startFleet(folder, settingsFor(`sqlite:${path}`), size);
  return { fleet, path, targets: fleet.targets, read: () => readSqlite(path), end: fleet.endAll };
};

/** A fleet on one PostgreSQL. */
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

/** The oldest service of a scene is killed, and another takes its place. */
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

/** In every other round the process is held up, with more clients than are answered meanwhile. */
const TERM: Fault = {
  name: 'sigterm',
  title: 'SIGTERM, rolling restart of two services, held up in half of the rounds',
  mayDrop: false,
  clients: 48,
  whyNot: always,
  async set(folder) {
    const scene = await setOnPostgres(folder, 2);
    let rounds = 0;
    const strike = async () => {
      rounds += 1;
      const end = rounds % 2 === 0 ? endHeldUp : (service: ServiceProcess) => service.end('SIGTERM');
      const code = await scene.fleet.endOldest(end);
      if (code !== 0) throw new Error(`SIGTERM ended a service with exit code ${code}, not 0`);
    };
    return { ...scene, strike, mend: scene.fleet.add };
  },
};

/** Every fault that is drilled. */
export const FAULTS: readonly Fault[] = [
  KILL_SQLITE,
  KILL_POSTGRES,
  STOP_POSTGRES,
  FULL_DISK,
  READ_ONLY_DISK,
  TERM,
  FAILOVER,
];

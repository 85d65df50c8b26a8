import { join } from 'node:path';
import { startPostgres } from '../../support/postgres.ts';
import { queryPostgres, querySqlite } from '../../support/query.ts';
import { type ServiceProcess, type Settings, startProcess } from '../../support/service.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { settingsFor } from '../settings.ts';
import type { Query, Subject } from '../subjects/subject.ts';

/** A store for services, which a fault may break. */
export interface Store {
  readonly url: string;
  readonly query: Query;
  end?(): Promise<unknown> | unknown;
}

/** What happens in each round: the fault, and its repair. */
export interface Round {
  strike(): Promise<unknown> | unknown;
  mend(): Promise<unknown> | unknown;
  /** The clock for the waiting times of clients, in seconds; the wall clock by default. */
  clock?(): number;
}

/** Running services, a way to break them or their store, and a way to repair that. */
export interface Scene extends Round {
  /** The URLs of the services that run now. */
  readonly targets: () => readonly string[];
  /** Asks their store. */
  readonly query: Query;
  end(): Promise<void>;
}

/** A fault that can be drilled. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Whether a request may go unanswered: after kill -9 it may, in a rolling restart it must not. */
  readonly mayDrop?: boolean;
  /** Whether clients see the fault as 503. The first one is awaited before the repair. */
  readonly isRefused?: boolean;
  /** Whether every request must be served at its first try. */
  readonly mustServe?: boolean;
  /** The most seconds that an answer may take beside the fault, with its repetitions. */
  readonly mostWait?: number;
  /** The number of clients, if the default is too small. */
  readonly clients?: number;
  /** The most requests that are answered before the fault in a round. How many there are is chosen at random. */
  readonly mostBefore?: number;
  /** Why this machine cannot run the drill; `undefined` if it can. */
  whyNot?(): string | undefined;
  /** The subject that it is for, if not for all. */
  readonly only?: string;
  /** Starts a subject and its environment in a folder. The same seed makes the same choices. */
  set(folder: string, seed: number, subject: Subject): Promise<Scene>;
}

/** Starts `size` services in one folder, on one store. */
const startFleet = async (folder: string, settings: Settings, size: number, program: string) => {
  const start = () => startProcess(folder, settings, program);
  const fleet: ServiceProcess[] = await Promise.all(Array.from({ length: size }, start));
  return {
    targets: (): readonly string[] => fleet.map(({ url }) => url),
    /** The service that has run longest. */
    oldest: (): ServiceProcess => {
      const [oldest] = fleet;
      if (!oldest) throw new Error('no service runs');
      return oldest;
    },
    /** Ends the service that has run longest, and returns its exit code. Clients are not warned. */
    async endOldest(end = (service: ServiceProcess) => service.end('SIGKILL')): Promise<number | null> {
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

/** Running services. */
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * Opens a store and starts services of the subject on it, with these settings. `rounds` describes the fault and its
 * repair.
 */
export const sceneOn =
  <S extends Store>(
    open: (folder: string) => Promise<S>,
    services: number,
    rounds: (fleet: Fleet, store: S, subject: Subject) => Round,
    settings: Settings = {},
  ): Fault['set'] =>
  async (folder, _seed, subject) => {
    const program = await subject.program();
    const store = await open(folder);
    const all = { ...settingsFor(store.url), ...subject.settings(folder), ...settings };
    const fleet = await startFleet(folder, all, services, program);
    const end = async () => {
      await fleet.endAll();
      await store.end?.();
    };
    return { ...rounds(fleet, store, subject), targets: fleet.targets, query: store.query, end };
  };

/** A SQLite file. */
export const openSqlite = async (folder: string) => {
  const path = join(folder, 'drill.db');
  return { url: `sqlite:${path}`, query: (sql: string) => querySqlite(path, sql) };
};

/** A SQLite file on a disk that can be filled. */
export const openOnSmallDisk = async (folder: string) => {
  const disk = await mountSmallDisk(folder, 256);
  return { ...(await openSqlite(disk.path)), disk, end: disk.unmount };
};

/** A PostgreSQL that can be stopped. */
export const openPostgres = async (folder: string) => {
  const postgres = await startPostgres(folder);
  const url = await postgres.createDatabase();
  return { url, query: (sql: string) => queryPostgres(url, sql), end: postgres.stop, postgres };
};

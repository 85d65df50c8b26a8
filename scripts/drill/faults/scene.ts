import { join } from 'node:path';
import { readPostgres, readSqlite, type StoredPlant } from '../../plants/stored-plants.ts';
import { startPostgres } from '../../support/postgres.ts';
import type { Settings } from '../../support/service.ts';
import { settingsFor } from '../plant-store.ts';
import { startFleet } from './fleet.ts';

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
  whyNot?(): string | undefined;
  /** Starts what is needed in a folder. The same seed makes the same choices. */
  set(folder: string, seed: number): Promise<Scene>;
}

/** Starts services on one SQLite file. */
export const setOnSqlite = async (folder: string, size: number, settings: Settings = {}) => {
  const path = join(folder, 'plants.db');
  const fleet = await startFleet(folder, { ...settingsFor(`sqlite:${path}`), ...settings }, size);
  return { fleet, path, targets: fleet.targets, read: () => readSqlite(path), end: fleet.endAll };
};

/** Starts services on one PostgreSQL. */
export const setOnPostgres = async (folder: string, size: number) => {
  const postgres = await startPostgres(folder);
  const url = await postgres.createDatabase();
  const fleet = await startFleet(folder, settingsFor(url), size);
  const end = async () => {
    await fleet.endAll();
    await postgres.stop();
  };
  return { postgres, fleet, targets: fleet.targets, read: () => readPostgres(url), end };
};

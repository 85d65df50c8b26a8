import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { MAIN, type Settings, startProcess } from '../support/service.ts';
import { inTemporaryFolder } from '../support/temporary-folder.ts';
import { NAME, TAG, TOKEN } from './plan.ts';
import type { Running, Subject } from './round.ts';

/** The built service, relative to its checkout. */
export const BUILD = 'dist/bin/main.js';

/** A server that can be measured. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  /** The built file; the service of this checkout by default. */
  readonly file?: string;
  /** Whether it is another framework, which starts as it documents it, without the flags of the service. */
  readonly isPeer?: boolean;
  readonly settings?: Settings;
}

const readStart = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).scripts.start;

/** The flags that `npm start` passes to Node. */
const FLAGS: readonly string[] = readStart()
  .split(' ')
  .filter((word) => word.startsWith('--'));

/** How long a server may take to stop, in milliseconds. */
const STOP_TIMEOUT = 15_000;

/** The SQLite store in a folder. */
const databaseIn = (folder: string) => {
  const path = join(folder, 'plants.db');
  return { path, url: `sqlite:${path}` };
};

/** Starts a server as in production, on a port that the system chooses, and waits until it listens. */
export const startServer = async (
  { file = MAIN, isPeer, settings }: Pick<Entry, 'file' | 'isPeer' | 'settings'>,
  node: string,
  folder: string,
  databaseUrl = databaseIn(folder).url,
): Promise<Running> => {
  await mkdir(folder, { recursive: true });
  const { url, pid, end } = await startProcess(
    folder,
    { NODE_ENV: 'production', DATABASE_URL: databaseUrl, ACCESS_TOKENS: `bench:${TOKEN}`, ...settings },
    file,
    { node, flags: isPeer ? [] : FLAGS, keepsLog: false },
  );
  const stop = async (): Promise<void> => {
    const hurry = setTimeout(() => end('SIGKILL'), STOP_TIMEOUT);
    await end();
    clearTimeout(hurry);
  };
  return { url, pid, stop };
};

const COUNT = `SELECT count(*) AS plants FROM plants WHERE name GLOB '${NAME}*' AND tag = '${TAG}'`;

const countRows = (path: string): number => {
  const database = new DatabaseSync(path);
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'plants'").get();
    return isThere ? Number(database.prepare(COUNT).get()?.plants) : 0;
  } finally {
    database.close();
  }
};

/** A server with a SQLite store of its own. */
export const sqliteSubject = (entry: Entry, node: string, folder: string): Subject => ({
  start: () => startServer(entry, node, folder),
  countPlants: async () => countRows(databaseIn(folder).path),
});

/** Does some work in a temporary folder. */
export const inFolder = <T>(work: (folder: string) => Promise<T>): Promise<T> =>
  inTemporaryFolder('plant-store-bench', work);

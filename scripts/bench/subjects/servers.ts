import { readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { NAME, TAG, TOKEN } from '../load/plan.ts';
import type { Running, Subject } from '../rounds/round.ts';
import { addressOf, endChild, startChild } from './children.ts';

/** The built service, relative to its checkout. */
export const BUILD = 'dist/bin/main.js';

/** The built service of this checkout. */
export const OURS = fileURLToPath(new URL(`../../../${BUILD}`, import.meta.url));

/** The flags that `npm start` passes to Node. */
export const FLAGS: readonly string[] = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)
  .scripts.start.split(' ')
  .filter((word: string) => word.startsWith('--'));

/** Runs a server from its source, with the packages of the service instead of those of the peers. */
const LOADER = import.meta.resolve('tsx');

/** Does some work in a temporary folder, which is removed even if the benchmark is interrupted. */
export const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
};

/** Starts a server as in production, on a port that the system chooses, and waits until it listens. */
export const startServer = async (
  node: string,
  file: string,
  folder: string,
  databaseUrl: string,
  flags = FLAGS,
): Promise<Running> => {
  await mkdir(folder, { recursive: true });
  const loader = file.endsWith('.ts') ? ['--import', LOADER] : [];
  const child = startChild(node, [...flags, ...loader, file], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      ACCESS_TOKENS: `bench:${TOKEN}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { url: await addressOf(child), pid: child.pid ?? 0, stop: () => endChild(child) };
};

const COUNT = `SELECT count(*) AS plants FROM plants WHERE name GLOB '${NAME}*' AND tag = '${TAG}'`;

const countRows = (path: string): number => {
  const database = new DatabaseSync(path);
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'plants'").get();
    return isThere ? Number(Object.values(database.prepare(COUNT).get() ?? {})[0]) : 0;
  } finally {
    database.close();
  }
};

/** A server with a SQLite store of its own. */
export const sqliteSubject = (node: string, file: string, folder: string, flags = FLAGS): Subject => {
  const path = join(folder, 'plants.db');
  return {
    start: () => startServer(node, file, folder, `sqlite:${path}`, flags),
    countPlants: async () => countRows(path),
  };
};

import { join, resolve } from 'node:path';
import { freePort } from '../support/postgres.ts';
import { querySqlite } from '../support/query.ts';
import { MAIN, type Settings, START_FLAGS, startProcess } from '../support/service.ts';
import { inTemporaryFolder } from '../support/temporary-folder.ts';
import { CREATES } from './answers.ts';
import { builtFile } from './build.ts';
import { type Load, loadByWrk } from './load.ts';
import { type LoadOptions, NAME, TAG, TOKEN } from './plan.ts';
import { type Running, runRound } from './round.ts';
import type { Contender } from './rounds.ts';

/** The built service, relative to its checkout. */
export const BUILD = 'dist/bin/main.js';

/** A server to measure. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  /** The built file; the service of this checkout by default. */
  readonly file?: string;
  /** Whether it is another framework, which starts as it documents it, without the flags of the service. */
  readonly isPeer?: boolean;
  readonly settings?: Settings;
}

const TWO_WORKERS = { WORKERS: '2' };

/** The compared servers. The service, the limit and one peer use group commit; the other peers commit each request. */
export const ENTRIES: readonly Entry[] = [
  { name: 'limit', title: 'the limit: node:http by hand', file: builtFile('limit') },
  { name: 'ours', title: 'this service' },
  { name: 'workers', title: 'this service, two workers', settings: TWO_WORKERS },
  ...[
    { name: 'fastify', title: 'Fastify', file: builtFile('fastify') },
    { name: 'fastify-group', title: 'Fastify, group commit', file: builtFile('fastify-group') },
    { name: 'hono', title: 'Hono, zod-openapi', file: builtFile('hono') },
  ].map((peer) => ({ ...peer, isPeer: true })),
];

/** The compared servers on PostgreSQL, beside pgbench. */
export const POSTGRES_ENTRIES: readonly Entry[] = [
  { name: 'postgres', title: 'this service, PostgreSQL' },
  { name: 'postgres-workers', title: 'this service, PostgreSQL, two workers', settings: TWO_WORKERS },
];

/** The entry for the build of another checkout, such as the one before a change. */
export const entryOf = (checkout: string): Entry => ({
  name: 'before',
  title: 'this service, the other build',
  file: resolve(checkout, BUILD),
});

/** How long a server may take to stop, in milliseconds. */
const STOP_TIMEOUT = 15_000;

/**
 * Starts a server as in production, on a port that the system chooses, and waits until it listens. A launcher is a
 * command that runs the rest of its command line.
 */
export const startServer = async (
  { file = MAIN, isPeer, settings }: Entry,
  node: string,
  folder: string,
  databaseUrl: string,
  launcher: readonly string[] = [],
): Promise<Running> => {
  const [program = node, ...flags] = [...launcher, node];
  const port = settings?.LOG_LEVEL === 'silent' && !isPeer ? await freePort() : undefined;
  const { url, pid, end } = await startProcess(
    folder,
    { NODE_ENV: 'production', DATABASE_URL: databaseUrl, ACCESS_TOKENS: `bench:${TOKEN}`, ...settings },
    file,
    { node: program, flags: [...flags, ...(isPeer ? [] : START_FLAGS)], keepsLog: false, port },
  );
  const stop = async (): Promise<void> => {
    const hurry = setTimeout(() => end('SIGKILL'), STOP_TIMEOUT);
    await end();
    clearTimeout(hurry);
  };
  return { url, pid, stop };
};

const COUNT = `SELECT count(*) AS plants FROM plants WHERE name GLOB '${NAME}*' AND tag = '${TAG}'`;

/** Does some work in a temporary folder. */
export const inFolder = <T>(work: (folder: string) => Promise<T>): Promise<T> =>
  inTemporaryFolder('plant-store-bench', work);

/** Makes a contender of an entry. Every round has an empty SQLite store. */
export const toContender = (
  entry: Entry,
  options: LoadOptions & { readonly node: string },
  load: Load = loadByWrk,
): Contender => {
  const round = (folder: string) => {
    const path = join(folder, 'plants.db');
    const start = () => startServer(entry, options.node, folder, `sqlite:${path}`);
    const countRows = async () => Number(querySqlite(path, COUNT)[0]?.plants);
    return runRound({ start, countRows }, CREATES, load, options);
  };
  const { name, title } = entry;
  return { name, title, round: () => inFolder(round) };
};

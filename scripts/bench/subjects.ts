import { join, resolve } from 'node:path';
import { freePort } from '../support/postgres.ts';
import { querySqlite } from '../support/query.ts';
import { MAIN, type Settings, START_FLAGS, startProcess } from '../support/service.ts';
import { inTemporaryFolder } from '../support/temporary-folder.ts';
import { builtFile, installPeers } from './build.ts';
import { CREATES, NAME, TAG } from './creates.ts';
import { type Load, loadByWrk } from './load.ts';
import { type BenchOptions, type LoadOptions, TOKEN } from './plan.ts';
import { type Running, runRound, type Subject, type Workload } from './round.ts';
import { type Contender, runRounds, type Standing } from './rounds.ts';

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
const FASTIFY = { file: builtFile('fastify'), isPeer: true };

/** The compared servers. The service, the limit and one peer use group commit; the other peers commit each request. */
export const ENTRIES: readonly Entry[] = [
  { name: 'limit', title: 'the limit: node:http by hand', file: builtFile('limit') },
  { name: 'ours', title: 'this service' },
  { name: 'workers', title: 'this service, two workers', settings: TWO_WORKERS },
  { name: 'fastify', title: 'Fastify', ...FASTIFY },
  { name: 'fastify-group', title: 'Fastify, group commit', ...FASTIFY, settings: { COMMITS: 'group' } },
  { name: 'hono', title: 'Hono, zod-openapi', file: builtFile('hono'), isPeer: true },
];

/** The compared servers on PostgreSQL, beside pgbench. */
export const POSTGRES_ENTRIES: readonly Entry[] = [
  { name: 'postgres', title: 'this service, PostgreSQL' },
  { name: 'postgres-workers', title: 'this service, PostgreSQL, two workers', settings: TWO_WORKERS },
];

/** The chosen entries, with other builds beside them, such as the one before a change. Installs the peers. */
export const chooseEntries = <E extends Entry>(
  entries: readonly E[],
  { names, before, report }: BenchOptions,
  title = 'this service',
): (E | Entry)[] => {
  const chosen = entries.filter(({ name }) => names.includes(name));
  if (chosen.some(({ isPeer }) => isPeer)) installPeers(report);
  const others = before.map((folder) => ({
    name: 'before',
    title: `${title}, the other build`,
    file: resolve(folder, BUILD),
  }));
  return chosen.length === 0 ? [] : [...chosen, ...others];
};

/** How long a server may take to stop, in milliseconds. */
const STOP_TIMEOUT = 15_000;

/**
 * Starts a server as in production, on a port that the system chooses, and waits until it listens. A launcher is a
 * command that runs the rest of its command line.
 */
export const startServer = async (
  { file = MAIN, isPeer, settings }: Entry,
  folder: string,
  databaseUrl: string,
  launcher: readonly string[] = [],
): Promise<Running> => {
  const [node = '', ...flags] = [...launcher, process.execPath, ...(isPeer ? [] : START_FLAGS)];
  const port = settings?.LOG_LEVEL === 'silent' && !isPeer ? await freePort() : undefined;
  const { url, pid, end } = await startProcess(
    folder,
    { NODE_ENV: 'production', DATABASE_URL: databaseUrl, ACCESS_TOKENS: `bench:${TOKEN}`, ...settings },
    file,
    { node, flags, keepsLog: false, port },
  );
  const stop = async (): Promise<void> => {
    const hurry = setTimeout(() => end('SIGKILL'), STOP_TIMEOUT);
    await end();
    clearTimeout(hurry);
  };
  return { url, pid, stop };
};

/** Does some work in a temporary folder. */
export const inFolder = <T>(work: (folder: string) => Promise<T>): Promise<T> =>
  inTemporaryFolder('plant-store-bench', work);

/** The store of a round: its URL, and a way to count the rows that the requests leave in it. */
export interface RoundStore extends Pick<Subject, 'countRows'> {
  readonly databaseUrl: string;
}

/** Makes a contender of an entry. Every round has a new store, which `open` makes in a temporary folder. */
export const toContender = (
  entry: Entry,
  workload: Workload,
  open: (folder: string) => RoundStore | Promise<RoundStore>,
  options: LoadOptions,
  load: Load = loadByWrk,
): Contender => ({
  name: entry.name,
  title: entry.title,
  round: () =>
    inFolder(async (folder) => {
      const { databaseUrl, ...store } = await open(folder);
      const start = () => startServer(entry, folder, databaseUrl);
      return runRound({ ...store, start }, workload, load, options);
    }),
});

const COUNT = `SELECT count(*) AS plants FROM plants WHERE name GLOB '${NAME}*' AND tag = '${TAG}'`;

/** An empty SQLite store for creates. */
export const openSqlite = (folder: string): RoundStore => {
  const path = join(folder, 'plants.db');
  return {
    databaseUrl: `sqlite:${path}`,
    countRows: async () => Number(querySqlite(path, COUNT)[0]?.plants),
  };
};

/** Measures creates on the chosen servers, on SQLite. */
export const benchSqlite = (options: BenchOptions): Promise<Standing[]> =>
  runRounds(
    chooseEntries(ENTRIES, options).map((entry) => toContender(entry, CREATES, openSqlite, options)),
    options,
  );

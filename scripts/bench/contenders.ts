import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../support/service.ts';
import { builtFile } from './build.ts';
import { fillStore } from './fill.ts';
import { type Load, loadByWrk } from './load.ts';
import type { BenchOptions } from './options.ts';
import { runRound } from './round.ts';
import type { Contender } from './rounds.ts';
import { BUILD, inFolder, type Program, sqliteSubject } from './subject.ts';

/** A server that can be measured on SQLite. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  /** A file below scripts/bench; without one, the entry is the service. */
  readonly source?: string;
  /** A checkout whose build is measured instead of this one's. */
  readonly checkout?: string;
  readonly isPeer?: boolean;
  readonly settings?: Settings;
}

/** The settings of a service with two worker processes. */
export const TWO_WORKERS: Settings = { WORKERS: '2' };

/** What is compared. Peers commit each request alone; the service and the limit commit concurrent requests together. */
export const ENTRIES: readonly Entry[] = [
  { name: 'limit', title: 'the limit: node:http by hand', source: 'servers/limit.ts' },
  { name: 'ours', title: 'this service' },
  { name: 'workers', title: 'this service, two workers', settings: TWO_WORKERS },
  { name: 'fastify', title: 'Fastify', source: 'peers/fastify.ts', isPeer: true },
  { name: 'hono', title: 'Hono, zod-openapi', source: 'peers/hono.ts', isPeer: true },
  {
    name: 'validator',
    title: 'Express, express-openapi-validator',
    source: 'peers/express-openapi-validator.ts',
    isPeer: true,
  },
  { name: 'backend', title: 'Express, openapi-backend', source: 'peers/openapi-backend.ts', isPeer: true },
];

/** What is compared on PostgreSQL. */
export const POSTGRES_NAMES: readonly string[] = ['postgres', 'postgres-workers', 'pgbench'];

/** The names of all that can be compared. */
export const NAMES: readonly string[] = [...ENTRIES.map(({ name }) => name), ...POSTGRES_NAMES];

/** The entry for the build of another checkout, such as the one before a change. */
export const entryOf = (checkout: string): Entry => ({
  name: 'before',
  title: 'this service, the other build',
  checkout,
});

/** Peers start as they document it, the limit starts like the service. */
const programOf = ({ source, checkout, isPeer, settings = {} }: Entry, node: string): Program => ({
  node,
  settings,
  ...(source !== undefined && { file: builtFile(source) }),
  ...(checkout !== undefined && { file: resolve(checkout, BUILD) }),
  ...(isPeer && { flags: [] }),
});

/** Makes a contender of an entry. Every round starts with an empty store, unless all of them share one in a folder. */
export const toContender = (
  entry: Entry,
  options: Pick<BenchOptions, 'node' | 'connections' | 'seconds' | 'bytes'>,
  load: Load = loadByWrk,
  shared?: string,
): Contender => {
  const round = (folder: string) =>
    runRound(sqliteSubject(programOf(entry, options.node), folder), load, options);
  const { name, title } = entry;
  return { name, title, round: () => (shared === undefined ? inFolder(round) : round(shared)) };
};

/** Makes contenders of entries, with filled stores if there should be plants in them, and does some work with them. */
export const withContenders = <T>(
  entries: readonly Entry[],
  options: BenchOptions,
  report: (text: string) => void,
  work: (contenders: readonly Contender[]) => Promise<T>,
): Promise<T> =>
  options.plants === 0
    ? work(entries.map((entry) => toContender(entry, options)))
    : inFolder(async (folder) => {
        const filled = join(folder, 'filled');
        await fillStore(filled, options.plants, report);
        const foldersOf = entries.map((entry) => ({ entry, shared: join(folder, entry.name) }));
        for (const { shared } of foldersOf) await cp(filled, shared, { recursive: true });
        return work(foldersOf.map(({ entry, shared }) => toContender(entry, options, loadByWrk, shared)));
      });

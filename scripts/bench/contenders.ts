import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../support/service.ts';
import { builtFile } from './build.ts';
import { fillStore } from './fill.ts';
import { type Load, loadByWrk } from './load.ts';
import type { BenchOptions } from './options.ts';
import { runRound } from './round.ts';
import type { Contender } from './rounds.ts';
import { BUILD, type Entry, inFolder, sqliteSubject } from './subject.ts';

/** The settings of a service with two worker processes. */
export const TWO_WORKERS: Settings = { WORKERS: '2' };

const peer = (name: string, title: string, source: string): Entry => ({
  name,
  title,
  file: builtFile(source),
  isPeer: true,
});

/** What is compared. Peers commit each request alone; the service and the limit commit concurrent requests together. */
export const ENTRIES: readonly Entry[] = [
  { name: 'limit', title: 'the limit: node:http by hand', file: builtFile('limit') },
  { name: 'ours', title: 'this service' },
  { name: 'workers', title: 'this service, two workers', settings: TWO_WORKERS },
  peer('fastify', 'Fastify', 'fastify'),
  peer('hono', 'Hono, zod-openapi', 'hono'),
  peer('validator', 'Express, express-openapi-validator', 'express-openapi-validator'),
  peer('backend', 'Express, openapi-backend', 'openapi-backend'),
];

/** What is compared on PostgreSQL. */
export const POSTGRES_NAMES: readonly string[] = ['postgres', 'postgres-workers', 'pgbench'];

/** The names of all that can be compared. */
export const NAMES: readonly string[] = [...ENTRIES.map(({ name }) => name), ...POSTGRES_NAMES];

/** The entry for the build of another checkout, such as the one before a change. */
export const entryOf = (checkout: string): Entry => ({
  name: 'before',
  title: 'this service, the other build',
  file: resolve(checkout, BUILD),
});

/** Makes a contender of an entry. Every round starts with an empty store, unless all of them share one in a folder. */
export const toContender = (
  entry: Entry,
  options: Pick<BenchOptions, 'node' | 'connections' | 'seconds' | 'bytes'>,
  load: Load = loadByWrk,
  shared?: string,
): Contender => {
  const round = (folder: string) => runRound(sqliteSubject(entry, options.node, folder), load, options);
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

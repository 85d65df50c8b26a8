import { resolve } from 'node:path';
import type { Settings } from '../../support/service.ts';
import type { Load } from '../load/generators.ts';
import type { LoadOptions } from '../load/plan.ts';
import { runRound } from '../rounds/round.ts';
import type { Contender } from '../rounds/rounds.ts';
import { builtFile } from './build.ts';
import { BUILD, inFolder, type Program, sqliteSubject } from './servers.ts';

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
  { name: 'cluster', title: 'Fastify, two workers', source: 'peers/fastify-cluster.ts', isPeer: true },
  { name: 'glue', title: 'fastify-openapi-glue', source: 'peers/fastify-openapi-glue.ts', isPeer: true },
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

/** Makes a contender of a server; every round starts with an empty store. */
export const onEmptyStore = (
  { name, title }: Pick<Entry, 'name' | 'title'>,
  program: Program,
  load: Load,
  options: LoadOptions,
): Contender => ({
  name,
  title,
  round: () => inFolder((folder) => runRound(sqliteSubject(program, folder), load, options)),
});

/** Makes a contender of an entry. Peers start as they document it, the limit starts like the service. */
export const toContender = (entry: Entry, node: string, load: Load, options: LoadOptions): Contender => {
  const { source, checkout, isPeer, settings = {} } = entry;
  const program: Program = {
    node,
    settings,
    ...(source !== undefined && { file: builtFile(source) }),
    ...(checkout !== undefined && { file: resolve(checkout, BUILD) }),
    ...(isPeer && { flags: [] }),
  };
  return onEmptyStore(entry, program, load, options);
};

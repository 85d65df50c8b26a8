import { resolve } from 'node:path';
import type { Load } from '../load/generators.ts';
import type { LoadOptions } from '../load/plan.ts';
import { runRound } from '../rounds/round.ts';
import type { Contender } from '../rounds/rounds.ts';
import { builtFile } from './build.ts';
import { BUILD, FLAGS, inFolder, OURS, sqliteSubject } from './servers.ts';

/** A server that can be measured on SQLite. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  /** A file below scripts/bench; without one, the entry is the service. */
  readonly source?: string;
  /** A checkout whose build is measured instead of this one's. */
  readonly checkout?: string;
  readonly isPeer?: boolean;
}

/** What is compared. Peers commit each request alone; the service and the limit commit concurrent requests together. */
export const ENTRIES: readonly Entry[] = [
  { name: 'limit', title: 'the limit: node:http by hand', source: 'servers/limit.ts' },
  { name: 'ours', title: 'this service' },
  { name: 'fastify', title: 'Fastify', source: 'peers/fastify.ts', isPeer: true },
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

/** The entry for the build of another checkout, such as the one before a change. */
export const entryOf = (checkout: string): Entry => ({
  name: 'before',
  title: 'this service, the other build',
  checkout,
});

const fileOf = ({ source, checkout }: Entry): string => {
  if (checkout !== undefined) return resolve(checkout, BUILD);
  return source === undefined ? OURS : builtFile(source);
};

/** Makes a contender of an entry; every round starts with an empty store. */
export const toContender = (entry: Entry, node: string, load: Load, options: LoadOptions): Contender => ({
  name: entry.name,
  title: entry.title,
  round: () =>
    inFolder((folder) => {
      const flags = entry.isPeer ? [] : FLAGS; // peers start as they document it, the limit starts like the service
      return runRound(sqliteSubject(node, fileOf(entry), folder, flags), load, options);
    }),
});

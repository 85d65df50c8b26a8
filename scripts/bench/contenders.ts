import { builtFile } from './build.ts';
import type { Load } from './load.ts';
import type { LoadOptions } from './plan.ts';
import { runRound } from './round.ts';
import type { Contender } from './rounds.ts';
import { FLAGS, inFolder, OURS, sqliteSubject } from './servers.ts';

/** A server that can be measured on SQLite. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  /** A file of this folder; without one, it is the service. */
  readonly source?: string;
  readonly isPeer?: boolean;
}

/** Who is compared. Peers commit each request on its own; the service and the limit commit together what came together. */
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

/** Makes an entry ready to be measured: every round on an empty store. */
export const toContender = (
  { name, title, source, isPeer = false }: Entry,
  node: string,
  load: Load,
  options: LoadOptions,
): Contender => ({
  name,
  title,
  round: () =>
    inFolder((folder) => {
      const file = source === undefined ? OURS : builtFile(source);
      const flags = isPeer ? [] : FLAGS; // peers are started as their documentation has it, the limit as the service is
      return runRound(sqliteSubject(node, file, folder, flags), load, options);
    }),
});

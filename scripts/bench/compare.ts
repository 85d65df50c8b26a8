import type { BenchOptions } from './options.ts';
import { toGroup } from './report/chart.ts';
import type { Outcome } from './report/outcome.ts';
import { renderStandings } from './report/table.ts';
import { ratioOf, type Target } from './report/targets.ts';
import { runRounds, type Standing } from './rounds/rounds.ts';
import { installPeers } from './subjects/build.ts';
import { ENTRIES, entryOf, POSTGRES_NAMES, toContender } from './subjects/contenders.ts';
import { postgresContenders, whyNoPostgres, withPostgres } from './subjects/postgres.ts';

const compareOnSqlite = async (options: BenchOptions): Promise<Standing[]> => {
  const { names, before, node, load, rounds, report } = options;
  const chosen = ENTRIES.filter(({ name }) => names.includes(name));
  const entries = before === undefined ? chosen : [...chosen, entryOf(before)];
  if (entries.some(({ isPeer }) => isPeer)) await installPeers(report);
  const contenders = entries.map((entry) => toContender(entry, node, load, options));
  return runRounds(contenders, rounds, report);
};

const compareOnPostgres = async (options: BenchOptions): Promise<Standing[]> => {
  const { names, rounds, report } = options;
  if (!POSTGRES_NAMES.some((name) => names.includes(name))) return [];
  const whyNot = whyNoPostgres();
  if (whyNot !== undefined) {
    report(`PostgreSQL is left out: ${whyNot}`);
    return [];
  }
  return withPostgres(options.connections, (server) => {
    const contenders = postgresContenders(server, options).filter(({ name }) => names.includes(name));
    return runRounds(contenders, rounds, report);
  });
};

const targetsOf = (standings: readonly Standing[]): Target[] => {
  const ratio = (other: string, metric?: 'p99') => ratioOf(standings, ['ours', other], metric);
  return [
    { what: 'this service / the other build', measured: ratio('before') },
    { what: 'this service / the limit', measured: ratio('limit'), atLeast: 0.82 },
    { what: 'p99 of this service / of the limit', measured: ratio('limit', 'p99'), atMost: 1.5 },
    { what: 'this service / Fastify', measured: ratio('fastify'), atLeast: 2.3 },
    { what: 'two workers / one process', measured: ratioOf(standings, ['workers', 'ours']), atLeast: 1.2 },
    {
      what: 'CPU of two workers / of one process',
      measured: ratioOf(standings, ['workers', 'ours'], 'cpu'),
      atMost: 1.15,
    },
    {
      what: 'two workers / Fastify in two workers',
      measured: ratioOf(standings, ['workers', 'cluster']),
    },
    { what: 'this service / fastify-openapi-glue', measured: ratio('glue') },
    { what: 'this service / Hono', measured: ratio('hono') },
    { what: 'this service / express-openapi-validator', measured: ratio('validator'), atLeast: 5 },
    { what: 'this service / openapi-backend', measured: ratio('backend'), atLeast: 6 },
    {
      what: 'this service on PostgreSQL / pgbench',
      measured: ratioOf(standings, ['postgres', 'pgbench']),
      atLeast: 1,
    },
    {
      what: 'two workers on PostgreSQL / one process',
      measured: ratioOf(standings, ['postgres-workers', 'postgres']),
    },
    {
      what: 'CPU of two workers on PostgreSQL / of one process',
      measured: ratioOf(standings, ['postgres-workers', 'postgres'], 'cpu'),
    },
  ];
};

const OURS = new Set(['ours', 'workers', 'postgres', 'postgres-workers']);
const isOurs = (name: string): boolean => OURS.has(name);

/** Measures the service next to the limit and the peers, and on PostgreSQL next to pgbench. */
export const runComparison = async (options: BenchOptions): Promise<Outcome> => {
  const onSqlite = await compareOnSqlite(options);
  const onPostgres = await compareOnPostgres(options);
  const standings = [...onSqlite, ...onPostgres];
  return {
    title: 'Durable creates per second',
    text: renderStandings(`${options.connections} connections`, standings),
    standings,
    targets: targetsOf(standings),
    groups: [
      toGroup('SQLite: on disk before the answer', onSqlite, isOurs),
      toGroup('PostgreSQL: committed before the answer', onPostgres, isOurs),
    ],
    measured: standings,
  };
};

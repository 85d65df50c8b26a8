import type { Load } from './load/generators.ts';
import type { LoadOptions } from './load/plan.ts';
import type { Bar } from './report/chart.ts';
import type { Outcome } from './report/outcome.ts';
import { renderStandings } from './report/table.ts';
import { ratioOf, type Target } from './report/targets.ts';
import { runRounds, type Standing } from './rounds/rounds.ts';
import { installPeers } from './subjects/build.ts';
import { ENTRIES, entryOf, toContender } from './subjects/contenders.ts';
import { postgresContenders, whyNoPostgres, withPostgres } from './subjects/postgres.ts';

const POSTGRES_NAMES = ['postgres', 'pgbench'];

/** The names of all that can be compared. */
export const NAMES: readonly string[] = [...ENTRIES.map(({ name }) => name), ...POSTGRES_NAMES];

/** What is compared, and how. */
export interface CompareOptions extends LoadOptions {
  readonly names: readonly string[];
  /** A checkout with another build of the service, measured next to this one. */
  readonly before: string | undefined;
  readonly node: string;
  readonly load: Load;
  readonly rounds: number;
  readonly report: (text: string) => void;
}

const compareOnSqlite = async (options: CompareOptions): Promise<Standing[]> => {
  const { names, before, node, load, rounds, report } = options;
  const chosen = ENTRIES.filter(({ name }) => names.includes(name));
  const entries = before === undefined ? chosen : [...chosen, entryOf(before)];
  if (entries.some(({ isPeer }) => isPeer)) await installPeers(report);
  const contenders = entries.map((entry) => toContender(entry, node, load, options));
  return runRounds(contenders, rounds, report);
};

const compareOnPostgres = async (options: CompareOptions): Promise<Standing[]> => {
  const { names, node, load, rounds, report } = options;
  if (!POSTGRES_NAMES.some((name) => names.includes(name))) return [];
  const whyNot = whyNoPostgres();
  if (whyNot !== undefined) {
    report(`PostgreSQL is left out: ${whyNot}`);
    return [];
  }
  return withPostgres(options.connections, (server) => {
    const contenders = postgresContenders(server, node, load, options);
    return runRounds(
      contenders.filter(({ name }) => names.includes(name)),
      rounds,
      report,
    );
  });
};

const targetsOf = (standings: readonly Standing[]): Target[] => {
  const ratio = (other: string, metric?: 'p99') => ratioOf(standings, ['ours', other], metric);
  return [
    { what: 'this service / the other build', measured: ratio('before') },
    { what: 'this service / the limit', measured: ratio('limit'), atLeast: 0.8 },
    { what: 'p99 of this service / of the limit', measured: ratio('limit', 'p99'), atMost: 1.5 },
    { what: 'this service / Fastify', measured: ratio('fastify'), atLeast: 2.2 },
    { what: 'this service / fastify-openapi-glue', measured: ratio('glue') },
    { what: 'this service / Hono', measured: ratio('hono') },
    { what: 'this service / express-openapi-validator', measured: ratio('validator'), atLeast: 5 },
    { what: 'this service / openapi-backend', measured: ratio('backend'), atLeast: 6 },
    {
      what: 'this service on PostgreSQL / pgbench',
      measured: ratioOf(standings, ['postgres', 'pgbench']),
      atLeast: 1,
    },
  ];
};

const toBars = (standings: readonly Standing[]): Bar[] =>
  standings.flatMap(({ name, title, measurements: { rate } }) =>
    rate
      ? [
          {
            label: title,
            value: rate,
            isOurs: name === 'ours' || name === 'postgres',
            isLimit: name === 'limit',
          },
        ]
      : [],
  );

/** Measures the service next to the limit and the peers, and on PostgreSQL next to pgbench. */
export const runComparison = async (options: CompareOptions): Promise<Outcome> => {
  const onSqlite = await compareOnSqlite(options);
  const onPostgres = await compareOnPostgres(options);
  const standings = [...onSqlite, ...onPostgres];
  return {
    title: 'Durable creates per second',
    text: renderStandings(`${options.connections} connections`, standings),
    standings,
    targets: targetsOf(standings),
    groups: [
      { title: 'SQLite: on disk before the answer', bars: toBars(onSqlite) },
      { title: 'PostgreSQL: committed before the answer', bars: toBars(onPostgres) },
    ],
    measured: standings,
  };
};

